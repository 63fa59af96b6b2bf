# Describes the names that steps have defined.

__holdfast_symbols() {
  local name symbols='' IFS=$'\n'
  set -f
  for name in $(__holdfast_names); do
    if [[ ${__holdfast_steps[$name]-} ]]; then symbols+=,$(__holdfast_symbol "$name"); fi
  done
  __holdfast_send "{\"type\":\"symbols\",\"id\":$__holdfast_id,\"symbols\":[${symbols#,}]}"
}

__holdfast_symbol() {
  local kind=variable type=string preview size=null step=${__holdfast_steps[$1]} name=${1%'()'}
  if [[ $1 == *'()' ]]; then
    kind=function type=function preview="function $name"
  else
    local -n variable=$1
    case ${variable@a} in
      *a*) type=array size=${#variable[@]} preview=${variable[*]@Q} ;;
      *A*) type='associative array' size=${#variable[@]} preview=${variable[*]@K} ;;
      *) if [[ ${variable@a} == *i* ]]; then type=integer; fi; preview=${variable-} ;;
    esac
  fi
  __holdfast_json name "${name:0:200}"
  __holdfast_json preview "${preview:0:200}"
  printf '{"name":%s,"kind":"%s","type":"%s","preview":%s,"size":%s,"stepId":"%s"}' \
    "$name" "$kind" "$type" "$preview" "$size" "$step"
}
