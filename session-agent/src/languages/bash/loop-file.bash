# Lets `$0` and `BASH_SOURCE` of a step name a file in the directory in which the context began. bash takes both from the file that it
# sources. So loop.bash is copied there before bash sources it, and deleted at once.

readonly __holdfast_rm=$(builtin type -P rm) __holdfast_folder=$PWD
__holdfast_loop_text=$(<"$__holdfast_home/loop.bash")
readonly __holdfast_loop_text=${__holdfast_loop_text%%$'\n'*}

# Sets `__holdfast_loop` to the file to source: loop.bash itself if the folder takes no file. Messages of bash begin with its name.
__holdfast_place_loop() {
  local - name=bash path
  builtin set +aefnuCETkx +o posix
  while path=${__holdfast_folder%/}/$name; [[ -e $path || -L $path ]]; do name+=_; done
  BASH_ARGV0=$path
  __holdfast_loop=$__holdfast_home/loop.bash
  if (umask 077 && builtin set -C && builtin printf '%s\n' "$__holdfast_loop_text" >"$path"); then __holdfast_loop=$path; fi
}

__holdfast_remove_loop() {
  if [[ $__holdfast_loop != "$__holdfast_home/"* ]]; then "$__holdfast_rm" -f "$__holdfast_loop"; fi
}
