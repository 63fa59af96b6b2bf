# The report of a recovery.

__holdfast_send_report() {
  local __holdfast_each __holdfast_restored='' __holdfast_replayed='' __holdfast_gone='' __holdfast_shown __holdfast_reason __holdfast_count=0
  for __holdfast_each in "${!__holdfast_from[@]}"; do
    if ((__holdfast_count++ >= 10000)); then break; fi
    __holdfast_json __holdfast_shown "${__holdfast_each:0:500}"
    if [[ ${__holdfast_from[$__holdfast_each]} == restored ]]; then __holdfast_restored+=,$__holdfast_shown; else __holdfast_replayed+=,$__holdfast_shown; fi
  done
  __holdfast_count=0
  for __holdfast_each in "${!__holdfast_lost[@]}"; do
    if ((__holdfast_count++ >= 10000)); then break; fi
    __holdfast_json __holdfast_shown "${__holdfast_each:0:500}"
    __holdfast_json __holdfast_reason "${__holdfast_lost[$__holdfast_each]:0:500}"
    __holdfast_gone+=",{\"name\":$__holdfast_shown,\"reason\":$__holdfast_reason}"
  done
  __holdfast_send "{\"type\":\"recovered\",\"id\":$__holdfast_id,\"restored\":[${__holdfast_restored#,}],\"replayed\":[${__holdfast_replayed#,}],\"lost\":[${__holdfast_gone#,}],\"stopped\":${__holdfast_stopped:-null}}"
}
