# The archive: lines of words that bash itself has quoted, and the manifest. Each line is a kind, a name and what belongs to it.

readonly __holdfast_archive_head='holdfast-bash 1' __holdfast_reported_max=10000
# bash loads about a megabyte in a second, several times slower than it saves one. A state that takes longer than a recovery may never comes back.
readonly __holdfast_bytes_max=8388608

__holdfast_begin_archive() {
  # Counts bytes, not characters. A user's variable that is read-only stays; then the limit counts four bytes for a character.
  __holdfast_width=4
  if (LC_ALL=C) 2>/dev/null; then LC_ALL=C __holdfast_width=1; fi
  __holdfast_size=0 __holdfast_records=0 __holdfast_saved='' __holdfast_not_saved='' __holdfast_saved_count=0 __holdfast_refused_count=0
  __holdfast_uptime __holdfast_deadline
  ((__holdfast_deadline += __holdfast_timeout * 8 / 100))
  if ((__holdfast_bytes > __holdfast_bytes_max)); then __holdfast_bytes=$__holdfast_bytes_max; fi
  builtin printf '%s\n' "$__holdfast_archive_head" >&3
}

# Sets variable $1 to a time in hundredths of a second, which no step can change.
__holdfast_uptime() {
  local __holdfast_clock
  builtin mapfile -t __holdfast_clock </proc/uptime
  __holdfast_clock=${__holdfast_clock%% *}
  builtin printf -v "$1" %s "$((10#${__holdfast_clock/./}))"
}

# Writes one line: kind $1 of name $2, and the words behind them. `manifest kind` is what the manifest says, or nothing for a part that has no name.
__holdfast_record() {
  local __holdfast_line __holdfast_now
  __holdfast_uptime __holdfast_now
  if ((__holdfast_now >= __holdfast_deadline)); then
    __holdfast_refuse "$2" 'the time for the snapshot was over'
    return
  fi
  builtin printf -v __holdfast_line '%q ' "$@"
  if ((__holdfast_size + __holdfast_width * ${#__holdfast_line} > __holdfast_bytes)); then
    __holdfast_refuse "$2" 'the snapshot would be too large'
    return
  fi
  ((__holdfast_size += __holdfast_width * ${#__holdfast_line}, __holdfast_records += 1))
  builtin printf '%s\n' "$__holdfast_line" >&3 || builtin kill -KILL "$BASHPID"
  # Settings of the shell itself are not listed as names.
  if [[ $1 == hidden ]]; then return; fi
  if ((__holdfast_saved_count++ < __holdfast_reported_max)); then
    __holdfast_shown "$2"
    __holdfast_saved+=",{\"name\":$__holdfast_text,\"kind\":\"$([[ $1 == function ]] && builtin echo function || builtin echo variable)\"}"
  fi
}

# Notes that name $1 is not saved, for reason $2.
__holdfast_refuse() {
  if ((__holdfast_refused_count++ >= __holdfast_reported_max)); then return; fi
  local __holdfast_line
  builtin printf -v __holdfast_line 'lost %q %q' "$1" "$2"
  ((__holdfast_records += 1))
  builtin printf '%s\n' "$__holdfast_line" >&3 || builtin kill -KILL "$BASHPID"
  __holdfast_shown "$1"
  __holdfast_not_saved+=",{\"name\":$__holdfast_text,\"reason\":\"$2\"}"
}

# Sets `__holdfast_text` to name $1 as a JSON string of ASCII, so that its bytes can be counted.
__holdfast_shown() {
  __holdfast_text=${1:0:200}
  if [[ $__holdfast_text == *[!\ -~]* ]]; then builtin printf -v __holdfast_text %q "$__holdfast_text"; fi
  __holdfast_text=${__holdfast_text//[!$'\1'-$'\176']/?}
  __holdfast_json __holdfast_text "${__holdfast_text:0:400}"
}

__holdfast_end_archive() {
  local __holdfast_manifest="{\"format\":1,\"language\":\"bash\",\"interpreter\":\"bash $BASH_VERSION\",\"saved\":[${__holdfast_saved#,}],\"notSaved\":[${__holdfast_not_saved#,}]}"
  builtin printf 'end %s\n%s%010dhfsnap1\n' "$__holdfast_records" "$__holdfast_manifest" "${#__holdfast_manifest}" >&3
  __holdfast_archived=x
}
