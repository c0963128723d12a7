import { createHighlighterCore, type DynamicImportLanguageRegistration } from 'shiki/core'
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript'
import dark from 'shiki/themes/github-dark-high-contrast.mjs'
import light from 'shiki/themes/github-light-high-contrast.mjs'
import type { CodeLine } from './highlight.ts'

/** The languages that are coloured, each loaded when it is first seen. */
const LANGUAGES: Record<string, DynamicImportLanguageRegistration> = {
  bash: () => import('shiki/langs/bash.mjs'),
  c: () => import('shiki/langs/c.mjs'),
  csharp: () => import('shiki/langs/csharp.mjs'),
  css: () => import('shiki/langs/css.mjs'),
  diff: () => import('shiki/langs/diff.mjs'),
  docker: () => import('shiki/langs/docker.mjs'),
  go: () => import('shiki/langs/go.mjs'),
  html: () => import('shiki/langs/html.mjs'),
  ini: () => import('shiki/langs/ini.mjs'),
  java: () => import('shiki/langs/java.mjs'),
  javascript: () => import('shiki/langs/javascript.mjs'),
  json: () => import('shiki/langs/json.mjs'),
  kotlin: () => import('shiki/langs/kotlin.mjs'),
  markdown: () => import('shiki/langs/markdown.mjs'),
  php: () => import('shiki/langs/php.mjs'),
  powershell: () => import('shiki/langs/powershell.mjs'),
  python: () => import('shiki/langs/python.mjs'),
  rust: () => import('shiki/langs/rust.mjs'),
  shellsession: () => import('shiki/langs/shellsession.mjs'),
  sql: () => import('shiki/langs/sql.mjs'),
  swift: () => import('shiki/langs/swift.mjs'),
  toml: () => import('shiki/langs/toml.mjs'),
  tsx: () => import('shiki/langs/tsx.mjs'),
  typescript: () => import('shiki/langs/typescript.mjs'),
  xml: () => import('shiki/langs/xml.mjs'),
  yaml: () => import('shiki/langs/yaml.mjs'),
}

const ALIASES: Record<string, string> = {
  'c#': 'csharp',
  'c++': 'c',
  cpp: 'c',
  console: 'shellsession',
  cs: 'csharp',
  dockerfile: 'docker',
  htm: 'html',
  js: 'javascript',
  json5: 'json',
  jsonc: 'json',
  jsx: 'tsx',
  kt: 'kotlin',
  md: 'markdown',
  patch: 'diff',
  ps1: 'powershell',
  py: 'python',
  rs: 'rust',
  sh: 'bash',
  shell: 'bash',
  svg: 'xml',
  ts: 'typescript',
  yml: 'yaml',
  zsh: 'bash',
}

const highlighter = createHighlighterCore({
  themes: [light, dark],
  langs: [],
  engine: createJavaScriptRegexEngine({ forgiving: true }),
})

const colour = async (code: string, named: string): Promise<CodeLine[] | undefined> => {
  const name = ALIASES[named.toLowerCase()] ?? named.toLowerCase()
  const language = LANGUAGES[name]
  if (!language) return undefined
  const { loadLanguage, codeToTokensWithThemes } = await highlighter
  await loadLanguage(language)
  const themes = { light: light.name!, dark: dark.name! }
  return codeToTokensWithThemes(code, { lang: name, themes }).map((line) =>
    line.map(({ content, variants }) => ({
      text: content,
      ...(variants.light?.color ? { light: variants.light.color } : {}),
      ...(variants.dark?.color ? { dark: variants.dark.color } : {}),
    })),
  )
}

addEventListener('message', ({ data }: MessageEvent<{ id: number; code: string; language: string }>) => {
  const { id, code, language } = data
  colour(code, language)
    .catch(() => undefined)
    .then((lines) => postMessage({ id, lines }))
})
