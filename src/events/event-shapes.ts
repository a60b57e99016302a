// Made from the definitions of the events by `npm run docs`. Change those, not this file.

export const engineShapes: Readonly<Record<string, string>> = {
  "run.started":
    '{"workflow":["either","text","null"],"resumed":"flag","state?":"object","stateVersion?":"number","shape?":"json","reducers?":"object","loopLimit?":["one-of","pause"],"catches?":["one-of","once"],"agent?":"text","agentKind?":"text","agents?":["list","text"],"model?":["either","text","null"],"sessionDir?":"text","maxIterations?":"number","limits?":"object","prompt?":"text","options?":"object","cwd?":"text","taskSource?":"text","isProjectTrusted?":"flag","descriptions?":"object","capabilities?":"object","script?":"text","noQuestions?":"flag","sandbox?":["one-of","off","worktree","strict"],"forkedFrom?":{"run":"text","seq":"number"}}',
  "node.started": '{"key":"text","node":"text","visit":"number","attempt":"number"}',
  "node.finished": '{"key":"text","node":"text","visit":"number","attempt":"number","update?":"object","goto?":"text"}',
  "node.failed":
    '{"key":"text","node":"text","visit":"number","attempt":"number","error":{"message":"text","code?":"text","name?":"text"},"retryAt?":"number","goto?":"text","update?":"object","lost?":"yes","caught?":"yes"}',
  "attempt.noted": '{"key":"text","attempt":"number","note":"json"}',
  "step.finished": '{"key":"text","step":"text","value":"json"}',
  "wait.started": '{"key":"text","wait":"text","until":"number","forMs?":"number"}',
  "question.asked":
    '{"key":"text","node":"text","question":{"id":"text","text":"text","header?":"text","options?":["list",["either","text",{"label":"text","description?":"text"}]],"multiSelect?":"flag","freeText?":"flag","default?":"json"},"name?":"text"}',
  "question.answered": '{"key":"text","question":"text","answer":"json","by":"text","request?":"text"}',
  "branch.won": '{"key":"text","branch":"text"}',
  "subgraph.started": '{"key":"text","workflow":["either","text","null"],"fingerprint":"text"}',
  "state.migrated": '{"from":"number","to":"number"}',
  "run.warned": '{"kind":"text","message":"text","subject":"text"}',
  "run.paused":
    '{"reason":["one-of","paused","needs-human","budget","interrupted"],"questions?":["list","json"],"message?":"text","problem?":"text","limit?":"text","signal?":"text","totals?":{"turns":"number","inputTokens":"number","outputTokens":"number","costUsd":"number","turnsWithoutCost":"number","activeMs":"number"}}',
  "run.finished":
    '{"outcome":["one-of","completed","failed","cancelled"],"error?":{"message":"text","code?":"text","name?":"text"},"totals?":{"turns":"number","inputTokens":"number","outputTokens":"number","costUsd":"number","turnsWithoutCost":"number","activeMs":"number"}}',
};

export const reportedShapes: Readonly<Record<string, string>> = {
  "agent.turn-started":
    '{"key?":"text","node?":"text","agent":"text","backend?":"text","session?":["either","text","null"],"task?":["either","text","null"],"worker?":"number","sessionId?":"text","turn?":"text","modelAsked?":["either","text","null"]}',
  "agent.usage-reported":
    '{"key?":"text","node?":"text","agent":"text","backend?":"text","session?":["either","text","null"],"task?":["either","text","null"],"worker?":"number","sessionId?":"text","turn?":"text","usage":{"inputTokens?":"number","outputTokens?":"number","cacheReadTokens?":"number","cacheWriteTokens?":"number","costUsd?":["either","number","null"]}}',
  "agent.turn-finished":
    '{"key?":"text","node?":"text","agent":"text","backend?":"text","session?":["either","text","null"],"task?":["either","text","null"],"worker?":"number","sessionId?":"text","turn?":"text","outcome":["one-of","completed","failed","interrupted"],"modelAsked?":["either","text","null"],"modelServed?":["either","text","null"],"usage":{"inputTokens?":"number","outputTokens?":"number","cacheReadTokens?":"number","cacheWriteTokens?":"number","costUsd?":["either","number","null"]},"durationMs?":"number","failure?":{"kind?":"text","message":"text","retryable?":"flag","resetAt?":["either","number","null"],"exitCode?":["either","number","null"],"status?":["either","number","null"]}}',
  "agent.session-lost": '{"key?":"text","node?":"text","agent":"text","session?":["either","text","null"]}',
  "agent.session-cleared": '{"key?":"text","node?":"text","session":"text"}',
  "agent.model-substituted": '{"key?":"text","node?":"text","agent":"text","asked":"text","served":"text"}',
  "agent.limits-ignored":
    '{"key?":"text","node?":"text","agent":"text","backend":"text","limits":["list","text"],"reason":"text"}',
  "agent.subagents-ignored": '{"key?":"text","node?":"text","backend":"text","agents":["list","text"],"reason":"text"}',
  "agent.switched":
    '{"key?":"text","node?":"text","from":"text","to":"text","kind":"text","message":"text","until":["either","number","null"],"task?":["either","text","null"]}',
  "agent.returned": '{"key?":"text","node?":"text","agent":"text"}',
  "task.updated":
    '{"key?":"text","node?":"text","task":{"id":"text","title":"text","status":["one-of","pending","in_progress","completed","failed","blocked"],"blockedBy?":["list","text"],"error?":"text","description?":"text","priority?":"number","verify?":"text","isSkipped?":"yes","metadata?":"object"}}',
  "iteration.started": '{"key?":"text","node?":"text","iteration?":"text","loop?":"text","round?":"number"}',
  "limit.waiting": '{"key?":"text","node?":"text","until":"number","kind?":"text","message?":"text"}',
  "verify.finished":
    '{"key?":"text","node?":"text","command":"text","exitCode":["either","number","null"],"endedBy?":"text","task?":["either","text","null"],"tree?":["either","text","null"]}',
  "review.finished":
    '{"key?":"text","node?":"text","round":"number","verdict":"text","findings":["list",{"title":"text","body?":"text","priority":"text","file?":"text"}]}',
  "report.written": '{"key?":"text","node?":"text","report":"json"}',
  "work.started": '{"key?":"text","node?":"text","mode":"text"}',
  "work.kept":
    '{"key?":"text","node?":"text","ref?":["either","text","null"],"files?":"number","staged?":["either","text","null"],"nested?":["either","text","null"],"note?":["either","text","null"]}',
  "isolation.chosen":
    '{"key?":"text","node?":"text","mode":["one-of","trees","shared"],"dir?":"text","base?":"text","reason?":"text","shared?":["list","text"],"linked?":["list","text"],"notes?":["list","text"],"setup?":"text"}',
  "task.landed": '{"key?":"text","node?":"text","task":"text","commit":"text"}',
  "landing.conflicted": '{"key?":"text","node?":"text","task":"text","files":["list","text"]}',
  "work.not-landed":
    '{"key?":"text","node?":"text","task":"text","files":["list",{"file":"text","why":"text","kept":["either","text","null"]}]}',
  "work.delivered":
    '{"key?":"text","node?":"text","target":["one-of","tree","branch","none"],"commit":"text","files":"number","ref":"text","blocked":["list","text"],"problem":["either","text","null"]}',
  "worktree.set-up":
    '{"key?":"text","node?":"text","command":"text","exitCode":["either","number","null"],"output":"text"}',
  "worktree.left": '{"key?":"text","node?":"text","task":["either","text","null"],"problem":"text"}',
  "write-back.failed": '{"key?":"text","node?":"text","file?":"text","problem":"text"}',
  "pull-request.made":
    '{"key?":"text","node?":"text","url?":["either","text","null"],"branch?":["either","text","null"]}',
};

export const authorShapes: Readonly<Record<string, string>> = {
  custom: '{"key":"text","node":"text","name":"text","data":"json"}',
};
