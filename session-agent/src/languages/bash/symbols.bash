# Describes the names that steps have defined.

__holdfast_symbols() {
  local __holdfast_my_name __holdfast_my_names __holdfast_my_symbols=''
  mapfile -t __holdfast_my_names <<<"$(__holdfast_names)"
  for __holdfast_my_name in "${__holdfast_my_names[@]}"; do
    if [[ ${__holdfast_steps[$__holdfast_my_name]-} ]]; then __holdfast_my_symbols+=,$(__holdfast_symbol "$__holdfast_my_name"); fi
  done
  __holdfast_send "{\"type\":\"symbols\",\"id\":$__holdfast_id,\"symbols\":[${__holdfast_my_symbols#,}]}"
}

__holdfast_symbol() {
  local __holdfast_my_kind=variable __holdfast_my_type=string __holdfast_my_preview __holdfast_my_size=null __holdfast_my_step=${__holdfast_steps[$1]} __holdfast_my_name=${1%'()'}
  if [[ $1 == *'()' ]]; then
    __holdfast_my_kind=function __holdfast_my_type=function __holdfast_my_preview="function $__holdfast_my_name"
  else
    local -n __holdfast_my_variable=$1
    case ${__holdfast_my_variable@a} in
      *a*) __holdfast_my_type=array __holdfast_my_size=${#__holdfast_my_variable[@]} __holdfast_my_preview=${__holdfast_my_variable[*]@Q} ;;
      *A*) __holdfast_my_type='associative array' __holdfast_my_size=${#__holdfast_my_variable[@]} __holdfast_my_preview=${__holdfast_my_variable[*]@K} ;;
      *) if [[ ${__holdfast_my_variable@a} == *i* ]]; then __holdfast_my_type=integer; fi; __holdfast_my_preview=${__holdfast_my_variable-} ;;
    esac
  fi
  __holdfast_json __holdfast_my_name "${__holdfast_my_name:0:200}"
  __holdfast_json __holdfast_my_preview "${__holdfast_my_preview:0:200}"
  printf '{"name":%s,"kind":"%s","type":"%s","preview":%s,"size":%s,"stepId":"%s"}' \
    "$__holdfast_my_name" "$__holdfast_my_kind" "$__holdfast_my_type" "$__holdfast_my_preview" "$__holdfast_my_size" "$__holdfast_my_step"
}
