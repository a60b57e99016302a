// Where a project keeps its list of tasks, unless another file is named. In order of preference.

export const taskListPlaces: readonly string[] = ["research/tasks.json", "research/feature-list.json"];
