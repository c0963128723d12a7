// Fails if a comment or a text has a phrase that docs/contributing.md, "English", replaces, or a variable a vague name.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

/** Phrases with what to write instead; some matter in comments alone, others in what people read alone. */
const PHRASES = [
  {
    phrase: /^(What|Whether|How|That which|Those which)\b(?!.*\?)/,
    comments: true,
    instead: 'a verb or the noun',
  },
  { phrase: /\bgives?\b(?!')/i, instead: '"returns", "makes", "shows"' },
  {
    phrase: /\b(that|which|as) there (is|are)\b|\bthere (is|are) not\b(?! (a|an|any|enough|yet)\b)/i,
    instead: '"does not exist"',
  },
  { phrase: /\bstands?\b/i, instead: '"is stored", "means", "is in"' },
  { phrase: /\b(is|are|was|were|be|been|being|get|gets) told\b/i, instead: '"is notified", "receives"' },
  {
    phrase: /\bwhere (there|it|they|this|that|nothing|nobody|none|no|one|some|all|any|both|an?)\b/i,
    instead: '"if", "when"',
  },
  { phrase: /\bfor good\b/i, instead: '"permanently"' },
  { phrase: /\bis away\b|\bare away\b/i, instead: '"is unavailable"' },
  {
    phrase: /\bthose (of|who)\b|\bwhoever\b|\bwhat goes wrong\b|\bby which\b|\bas far as\b/i,
    comments: true,
    instead: 'the name of the thing',
  },
  { phrase: /\bsigns? of life\b/i, instead: '"heartbeat"' },
  { phrase: /\bonly by being\b|\bonce more to\b|\bno whole\b/i, instead: 'a plain sentence' },
  // The words of the console, the terminal, the errors and the documents.
  { phrase: /\bpresent (password|address|model)\b/i, texts: true, instead: '"current …"' },
  {
    phrase: /\bsettings of (the )?(search|agent|connector|channel)s?\b/i,
    catalog: true,
    instead: '"… settings"',
  },
  { phrase: /\bstandard model\b/i, texts: true, instead: '"default model"' },
  { phrase: /\bcalls of models\b/i, texts: true, instead: '"model calls"' },
  { phrase: /\bof them (remembered|thoughts)\b/i, texts: true, instead: '"… cached", "… reasoning"' },
  { phrase: /\b(take|taken) back\b/i, texts: true, instead: '"cancel"' },
  { phrase: /\bfrom nothing\b/i, texts: true, instead: '"blank", "from scratch"' },
  {
    phrase: /^\s*"\w+": "(Waits(?! until)|Being read|Read again|As usual|As set)\b/,
    catalog: true,
    instead: '"Queued", "Processing", "Default"',
  },
  { phrase: /\bshow every step\b/i, texts: true, instead: '"view steps"' },
  { phrase: /\bactions on this\b/i, texts: true, instead: '"… menu"' },
  { phrase: /\bby one of your own\b/i, texts: true, instead: '"with your own"' },
  { phrase: /\bleft out of a conversation\b/i, texts: true, instead: '"turned off in a conversation"' },
  { phrase: /\banswers? rests? on\b/i, texts: true, instead: '"cite", "is based on"' },
  { phrase: /\bno search finds\b/i, texts: true, instead: '"no longer appears in search"' },
  { phrase: /\bnobody is called\b/i, texts: true, instead: '"… does not exist"' },
  { phrase: /(\d|\}) ?sec\./, texts: true, instead: '"s"' },
]

/** The English texts of the console. */
const CATALOG = /^plugins\/reach\/console\/web\/i18n\/en\/.*\.json$/

/** Participles and adverbs that do not say what a variable holds; tests may use some of them. */
const VAGUE = 'found known before there given noted rest told untold lent'
const VAGUE_IN_PRODUCT = `${VAGUE} place asked kept taken gone seen held made wanted heard`
/** Returns a pattern of these names as variables: neither properties, nor keys, nor methods. */
const namePattern = (names) =>
  new RegExp(
    `(?<![\\w$.'"\`/-])(${names.replaceAll(' ', '|')})(?![\\w$'"\`-]|\\??:(?! string| number| boolean| unknown| \\w+\\)| \\{)|\\()`,
    'g',
  )
const VAGUE_NAMES = { product: namePattern(VAGUE_IN_PRODUCT), tests: namePattern(VAGUE) }

/** Comments, strings and templates; a pattern with a quote in it may hide the rest of its line. */
const PROSE =
  /\/\*[\s\S]*?\*\/|(?<![:\\])\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g

/** A regular expression, after what cannot come before a division. */
const REGEX = /(?<=[(=:,[!&|?{};]\s*)\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[dgimsuvy]*/g

const [, , ...prefixes] = process.argv
const files = execFileSync(
  'git',
  ['ls-files', '-co', '--exclude-standard', '*.ts', '*.tsx', '*.js', '*.md', '*.json'],
  {
    encoding: 'utf8',
  },
)
  .split('\n')
  .filter((file) =>
    /^(engine|kernel|plugin-api|plugins|channels|providers|client|bench|tests|docs|README)/.test(file),
  )
  .filter((file) => !file.endsWith('.json') || CATALOG.test(file))
  // Made from the sources, and texts for users.
  .filter((file) => !['client/api.ts', 'plugin-api/api-report.md'].includes(file))
  .filter((file) => !file.startsWith('plugins/agents/experts/catalog/'))
  .filter((file) => prefixes.length === 0 || prefixes.some((prefix) => file.startsWith(prefix)))

let count = 0
const report = (file, line, text, instead, context) => {
  count += 1
  console.log(`${file}:${line}: "${text}", better ${instead}: ${context.trim().slice(0, 130)}`)
}
for (const file of files) {
  if (!existsSync(file)) continue
  const source = readFileSync(file, 'utf8')
  const isPlain = file.endsWith('.md') || file.endsWith('.json')
  for (const { 0: text, index } of isPlain ? [{ 0: source, index: 0 }] : source.matchAll(PROSE)) {
    const isComment = text.startsWith('/')
    const first = source.slice(0, index).split('\n').length
    for (const [offset, row] of text.split('\n').entries()) {
      const words = isComment ? row.replace(/^\s*(\/\*\*?|\/\/|\*\/?)\s*/, '') : row
      for (const { phrase, comments, texts, catalog, instead } of PHRASES) {
        const isRead = !isComment && !file.startsWith('tests/')
        if ((comments && !isComment) || (texts && !isRead) || (catalog && !file.endsWith('.json'))) continue
        const match = phrase.exec(words)
        if (match) report(file, first + offset, match[0], instead, words)
      }
    }
  }
  if (isPlain) continue
  const vagueName = /^(tests|bench)|\/templates\//.test(file) ? VAGUE_NAMES.tests : VAGUE_NAMES.product
  const blank = (text) => text.replaceAll(/[^\n]/g, ' ')
  const code = source.replaceAll(PROSE, blank).replaceAll(REGEX, blank)
  for (const [offset, row] of code.split('\n').entries())
    for (const [name] of row.matchAll(vagueName))
      report(file, offset + 1, name, 'the name of what it holds', row)
}
console.log(`${count} phrases to replace`)
process.exitCode = count > 0 ? 1 : 0
