# A non-interactive login shell reads this after the profile: adds the agent commands to PATH again if the profile reset it.
type -P TodoWrite >/dev/null || PATH=$PATH:${BASH_SOURCE%/*}/commands
if [ -n "$AGENT_SHELL_BASH_ENV" ]; then
  BASH_ENV=$AGENT_SHELL_BASH_ENV
  unset AGENT_SHELL_BASH_ENV
  eval "[ ! -r \"$BASH_ENV\" ] || . \"$BASH_ENV\""
else
  unset BASH_ENV AGENT_SHELL_BASH_ENV
fi
