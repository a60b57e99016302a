// The completion script of each shell. Every script asks the program itself, so it stays right when commands and
// workflows change; where the program offers nothing, the shell offers files.

export const shells = ["bash", "zsh", "fish", "powershell"] as const;

export type Shell = (typeof shells)[number];

export const shellScripts: Readonly<Record<Shell, string>> = {
  bash: `# Completion of Atomic for bash. Put this into ~/.bashrc:  eval "$(atomic completion bash)"
_atomic() {
  local IFS=$'\\n'
  COMPREPLY=($(atomic __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -o default -F _atomic atomic`,
  zsh: `#compdef atomic
# Completion of Atomic for zsh. Put this into ~/.zshrc, after compinit:  eval "$(atomic completion zsh)"
_atomic() {
  local -a found
  local word text
  while IFS=$'\\t' read -r word text; do
    found+=("\${word//:/\\\\:}:\${text}")
  done < <(atomic __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#found} )); then _describe -V atomic found; else _files; fi
}
compdef _atomic atomic`,
  fish: `# Completion of Atomic for fish. Save this as ~/.config/fish/completions/atomic.fish
function __atomic_complete
  set -l words (commandline -opc) (commandline -ct)
  atomic __complete $words[2..-1] 2>/dev/null
end
complete -c atomic -a '(__atomic_complete)'`,
  powershell: `# Completion of Atomic for PowerShell. Put this into $PROFILE:  atomic completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName atomic -ScriptBlock {
  param($typed, $line, $cursor)
  $words = @($line.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($typed -eq '') { $words += '' }
  atomic __complete @words 2>$null | ForEach-Object {
    $word, $text = $_ -split "\`t", 2
    if (-not $text) { $text = $word }
    [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $text)
  }
}`,
};
