/** The names of languages that are not written like their marks with a capital letter. */
const NAMES: Record<string, string> = {
  'c#': 'C#',
  'c++': 'C++',
  cpp: 'C++',
  cs: 'C#',
  csharp: 'C#',
  css: 'CSS',
  csv: 'CSV',
  graphql: 'GraphQL',
  html: 'HTML',
  ini: 'INI',
  javascript: 'JavaScript',
  js: 'JavaScript',
  json: 'JSON',
  json5: 'JSON5',
  jsonc: 'JSON',
  jsx: 'JSX',
  kt: 'Kotlin',
  latex: 'LaTeX',
  md: 'Markdown',
  php: 'PHP',
  powershell: 'PowerShell',
  ps1: 'PowerShell',
  py: 'Python',
  rb: 'Ruby',
  rs: 'Rust',
  sh: 'Shell',
  shellsession: 'Console',
  sql: 'SQL',
  svg: 'SVG',
  tex: 'TeX',
  toml: 'TOML',
  ts: 'TypeScript',
  tsx: 'TSX',
  txt: 'Text',
  typescript: 'TypeScript',
  xml: 'XML',
  yaml: 'YAML',
  yml: 'YAML',
}

/** The longest mark of a language that is shown. */
const MAX_CHARS = 40

/** Returns the name of a language by its mark in Markdown or an extension. */
export const nameLanguage = (mark: string): string =>
  NAMES[mark.toLowerCase()] ?? (mark.charAt(0).toUpperCase() + mark.slice(1)).slice(0, MAX_CHARS)
