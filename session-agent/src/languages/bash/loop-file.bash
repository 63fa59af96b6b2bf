# Lets `$0` and `BASH_SOURCE` of a step name a file in the directory in which the context began. bash takes both from the file that it
# sources. So loop.bash is copied there before bash sources it, and deleted at once.

readonly __holdfast_rm=$(builtin type -P rm) __holdfast_folder=$PWD
__holdfast_loop_text=$(<"$__holdfast_home/loop.bash")
readonly __holdfast_loop_text=${__holdfast_loop_text%%$'\n'*}

# Sets `__holdfast_loop` to the file to source: loop.bash itself if the folder takes no file. Messages of bash begin with its name.
__holdfast_place_loop() {
  local - __holdfast_my_name=bash __holdfast_my_path
  builtin set +aefnuCETkx +o posix
  while __holdfast_my_path=${__holdfast_folder%/}/$__holdfast_my_name; [[ -e $__holdfast_my_path || -L $__holdfast_my_path ]]; do __holdfast_my_name+=_; done
  BASH_ARGV0=$__holdfast_my_path __holdfast_argv0=$__holdfast_my_path
  __holdfast_loop=$__holdfast_home/loop.bash
  if (umask 077 && builtin set -C && builtin printf '%s\n' "$__holdfast_loop_text" >"$__holdfast_my_path"); then __holdfast_loop=$__holdfast_my_path; fi
}

__holdfast_remove_loop() {
  if [[ $__holdfast_loop != "$__holdfast_home/"* ]]; then "$__holdfast_rm" -f "$__holdfast_loop"; fi
}
