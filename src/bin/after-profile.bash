# Read by a non-interactive login shell after the profile: puts the agent commands back on PATH if the profile reset it.
type -P TodoWrite >/dev/null || PATH=$PATH:${BASH_SOURCE%/*}/commands
if [ -n "$AGENT_SHELL_BASH_ENV" ]; then
  BASH_ENV=$AGENT_SHELL_BASH_ENV
  unset AGENT_SHELL_BASH_ENV
  eval "[ ! -r \"$BASH_ENV\" ] || . \"$BASH_ENV\""
else
  unset BASH_ENV AGENT_SHELL_BASH_ENV
fi
