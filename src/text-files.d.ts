// The build inlines these files as text.
declare module '*.md' {
  const text: string;
  export default text;
}
declare module '*.sh' {
  const text: string;
  export default text;
}
declare module '*.txt' {
  const text: string;
  export default text;
}
declare module '*.html' {
  const text: string;
  export default text;
}
// A script for browsers, bundled.
declare module '*?script' {
  const text: string;
  export default text;
}

/** The version in package.json, inlined by the build. */
declare const PACKAGE_VERSION: string;
