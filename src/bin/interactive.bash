# Read by an interactive agent-shell in the place of ~/.bashrc.
if [ -r ~/.bashrc ]; then
  . ~/.bashrc
fi
