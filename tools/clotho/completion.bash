# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Completion of clotho's command line, for bash. It is installed as share/bash-completion/completions/clotho.
_clotho() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} choices=
  COMPREPLY=()
  if [ "$COMP_CWORD" = 1 ]; then
    choices="cluster compile node replay report trace tuned -h --help --version"
  else
    case $previous in
      --emit) choices="spirv portable lowered llvm asm obj so compiled binary info" ;;
      --scope) choices="first needed all" ;;
      --devices) choices="cpu gpu all" ;;
      --gpu) choices="sm_70 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120" ;;
      --cpu) choices="x86-64 x86-64-v2 x86-64-v3 x86-64-v4" ;;
      --data)
        mapfile -t COMPREPLY < <(compgen -d -- "$current")
        compopt -o filenames 2>/dev/null
        return
        ;;
      --width | --check | --repeat | --settle | --ulp | --against-width | --most-runs | --time-limit | --options | --spec | --kernel | --code-version | --print-before | --print-after | --skip-passes | --bisect-limit | --join | --listen | --interface) return ;;
      *)
        if [[ $previous != -o && $previous != --output && $current == -* ]]; then
          [ "$command" = tuned ] && choices="-h --help --clear"
          [ "$command" = replay ] && choices="-h --help --width --cpu --check --options --driver --repeat --settle --ulp --against \
            --against-width --write --reduce --most-runs --time-limit --bisect --show --source --no-compare --guard"
          [ "$command" = trace ] && choices="-h --help -o --output --counters --html"
          [ "$command" = cluster ] && choices="-h --help --devices --join --interface --status"
          [ "$command" = node ] && choices="-h --help --devices --listen --interface"
          [ "$command" != tuned ] && [ "$command" != replay ] && [ "$command" != trace ] && [ "$command" != cluster ] && [ "$command" != node ] && \
             choices="-h --help --options --spec --kernel --code-version --cpu --data"
          [ "$command" = report ] && choices="$choices --html --remarks"
          [ "$command" = compile ] && choices="$choices -o --output --emit --gpu --scope --validate --repeat --print-before \
            --print-after --print-after-all --skip-passes --bisect-limit --time-passes"
        fi
        ;;
    esac
  fi
  if [ -n "$choices" ]; then
    mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
    compopt -o filenames 2>/dev/null
  fi
}
complete -F _clotho clotho
