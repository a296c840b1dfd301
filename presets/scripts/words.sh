# Text into the list `words`, as a shell would split it: quotes and backslashes count, but nothing is expanded or run.
split_words() {
  local text=$1 word='' begun='' quote='' char next i
  words=()
  for ((i = 0; i < ${#text}; i++)); do
    char=${text:i:1}
    if [[ $quote == "'" || ($quote == '"' && $char != \\) ]]; then # within quotes, up to the same one again
      if [[ $char == "$quote" ]]; then quote=; else word+=$char; fi
    elif [[ $char == \\ ]]; then
      i=$((i + 1))
      next=${text:i:1}
      if [[ -z $next ]]; then return 1; fi
      if [[ $next != $'\n' ]]; then # a backslash before a line's end joins the lines
        # Within double quotes a backslash protects only these; before anything else it stands for itself.
        if [[ $quote == '"' && $next != [\"\\\$\`] ]]; then word+=\\; fi
        word+=$next begun=1
      fi
    elif [[ $char == [\'\"] ]]; then
      quote=$char begun=1
    elif [[ $char == [$' \t\n'] ]]; then
      if [[ $begun ]]; then words+=("$word"); fi
      word='' begun=''
    else
      word+=$char begun=1
    fi
  done
  if [[ $begun ]]; then words+=("$word"); fi
  [[ -z $quote ]]
}
