/** Said where nothing was given. */
export const SHORT_USAGE = `Usage: TodoWrite '{"todos":[...]}'\n`;

export const USAGE = `Usage: TodoWrite '{"todos":[{"content":"...","activeForm":"...","status":"pending"}]}'\n`;

/** The form of the command in which no character of the JSON means anything to bash. Ready to paste. */
export const HEREDOC_FORM = `TodoWrite <<'EOF'
{"todos":[{"content":"...","activeForm":"...","status":"pending"}]}
EOF
`;
