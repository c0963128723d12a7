import { setImmediate as nextTurn } from 'node:timers/promises'
import { hasDigit, isLikelySecret, isPlaceholder } from './secret-value.ts'

/** The characters that are scanned between two turns of the event loop. */
const WINDOW_CHARS = 256 * 1024
/** Longer than any match of a rule, so that no secret is cut in two. */
const OVERLAP_CHARS = 2048

/** The beginning of a file that is checked for NUL, to tell text from binary data. */
const SNIFFED_BYTES = 8192

/** A pattern of secrets. */
interface Rule {
  pattern: RegExp
  /** A condition on the text before the match; checked after the match, as it would make the search slow. */
  precededBy?: RegExp
  /** Checks the matched group, if harmless values match as well. */
  isSecret?(value: string, isQuoted: boolean): boolean
}

/** Matches the start of a word, also right after an escape such as `\n` in JSON or `%20` in a URL. */
const WORD_START = /(?:^|[^A-Za-z0-9]|\\[nrt]|%[0-9A-Fa-f]{2})$/
const MAX_START_CHARS = 3

/** Creates a rule for tokens that are whole words. */
const token = (form: string, isSecret?: Rule['isSecret']): Rule => ({
  pattern: new RegExp(form, 'g'),
  precededBy: WORD_START,
  isSecret,
})

/**
 * Tokens in formats that their issuers document. Here and below every repetition is bounded and none is nested in an
 * unbounded one, so that the time is linear in the length of the text.
 */
const TOKEN_RULES: readonly Rule[] = [
  { pattern: /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g },
  token('PuTTY-User-Key-File-[0-9]'),
  token('AGE-SECRET-KEY-1[0-9A-Z]{58}'),
  // AWS. The ids in its documentation end in EXAMPLE.
  token('(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])', (id) => !id.endsWith('EXAMPLE')),
  // Alibaba Cloud, Tencent Cloud.
  token('LTAI[A-Za-z0-9]{16,20}(?![A-Za-z0-9])', hasDigit),
  token('AKID[A-Za-z0-9]{32}(?![A-Za-z0-9])', hasDigit),
  // GitHub, GitLab.
  token('gh[opusr]_[A-Za-z0-9]{36}'),
  token('github_pat_[A-Za-z0-9_]{60}'),
  token('gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|oas|imt|ffct)-[A-Za-z0-9_-]{20}', hasDigit),
  // Slack.
  token('xox[abcdeoprs]-[A-Za-z0-9-]{16}', hasDigit),
  token('xapp-[0-9]-[A-Z0-9]{6,20}-[0-9]{6}'),
  // Webhooks, to which anybody who knows the address can post: Slack, Discord, Feishu, Lark, WeCom.
  token('hooks\\.slack\\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/]{20}', hasDigit),
  token('discord(?:app)?\\.com/api/webhooks/[0-9]{17,20}/[A-Za-z0-9_-]{60}'),
  token('(?:feishu\\.cn|larksuite\\.com)/open-apis/bot/(?:v2/)?hook/[a-f0-9-]{32}', hasDigit),
  token('weixin\\.qq\\.com/cgi-bin/webhook/send\\?key=[a-f0-9-]{32}', hasDigit),
  // Stripe.
  token('[sr]k_(?:live|test)_[A-Za-z0-9]{16}'),
  token('whsec_[A-Za-z0-9+/]{24}'),
  // OpenAI, Anthropic, OpenRouter, and the many services that use the same prefix.
  token('sk-(?:proj|svcacct|admin|ant|or)-[A-Za-z0-9_-]{20}', hasDigit),
  token('sk-[A-Za-z0-9]{32}', hasDigit),
  // Google: API keys, client secrets, access and refresh tokens.
  token('AIza[A-Za-z0-9_-]{35}'),
  token('GOCSPX-[A-Za-z0-9_-]{28}'),
  token('ya29\\.[A-Za-z0-9_-]{20}'),
  token('1//0[A-Za-z0-9_-]{40}'),
  // Telegram: the number of a bot and its key, in URLs after the word "bot".
  { pattern: /(?<![0-9])[0-9]{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])/g },
  // Discord: the number of a bot in Base64, a time and a signature.
  token('[MNO][A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27}'),
  // npm, PyPI, Hugging Face, DigitalOcean, SendGrid, Vault.
  token('npm_[A-Za-z0-9]{36}'),
  token('pypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{20}'),
  token('hf_[A-Za-z0-9]{34}'),
  token('do[opr]_v1_[a-f0-9]{64}'),
  token('SG\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43}'),
  token('hv[sbr]\\.[A-Za-z0-9_-]{24}'),
  // A JSON Web Token: two parts that begin like encoded JSON objects.
  { pattern: /(?:(?<![A-Za-z0-9_-])|\\[nrt]|%20|%3D)eyJ[A-Za-z0-9_-]{10,1000}\.eyJ[A-Za-z0-9_-]{10}/g },
]

const KEYWORD =
  '(?:pass(?:word|wd|phrase)?|pwd|secret|token|(?:api|access|account|private|auth|signing|encryption)[_-]?key|credential' +
  '|密码|口令|密钥|秘钥|令牌)'
const SUFFIX = '(?:s|[_-]?(?:access|key|value|prod|production|dev|live|test|base64|b64|[0-9]{1,3})){0,3}'
const OPERATOR = '["\'`\\]*\\\\]{0,3}[ \\t]{0,8}(?:=>|:=|={1,3}|:|：|>)[ \\t*]{0,8}'
const VALUE =
  '(?:\\\\?"([^"\\s]{8,256})"|\'([^\'\\s]{8,256})\'|`([^`\\s]{8,256})`|([^\\s"\'`,;<>，。；]{8,256}))'

/** Rules for text only: a context that announces a secret, and a value that looks like one. */
const TEXT_RULES: readonly Rule[] = [
  // The password in a URL.
  {
    pattern: /:\/\/[^\s/?#:@"'<>]{0,128}:([^\s/?#@"'<>]{1,256})@[\w[]/g,
    isSecret: (password) => !isPlaceholder(password),
  },
  // password = "…", "api_key": "…", TOKEN=…, <secret>…, 密码：…
  { pattern: new RegExp(`${KEYWORD}${SUFFIX}${OPERATOR}${VALUE}`, 'gi'), isSecret: isLikelySecret },
  // --password …
  { pattern: new RegExp(`--[a-z-]{0,24}${KEYWORD}[ \\t]{1,4}${VALUE}`, 'gi'), isSecret: isLikelySecret },
  // Authorization: Bearer …
  { pattern: /\b(?:bearer|basic)[ \t]{1,4}([A-Za-z0-9+/=_.~-]{16,256})/gi, isSecret: isLikelySecret },
]

const ALL_RULES = [...TOKEN_RULES, ...TEXT_RULES]

/** True if a text seems to hold a password, a key or a token. */
export function hasSecret(text: string): Promise<boolean> {
  return isFlagged(text, ALL_RULES)
}

/** True if the content of a file does; in binary data only tokens of a known format count. */
export async function hasSecretBytes(content: Buffer): Promise<boolean> {
  const wide = detectWideEncoding(content)
  if (wide) return hasSecret(new TextDecoder(wide).decode(content))
  if (!content.subarray(0, SNIFFED_BYTES).includes(0)) return hasSecret(content.toString('utf8'))
  // Without NUL bytes, embedded text with two bytes per character becomes readable too.
  return (
    (await isFlagged(content.toString('latin1'), TOKEN_RULES)) ||
    (await isFlagged(withoutNuls(content).toString('latin1'), TOKEN_RULES))
  )
}

async function isFlagged(text: string, rules: readonly Rule[]): Promise<boolean> {
  for (let start = 0; start < text.length; start += WINDOW_CHARS) {
    if (start > 0) await nextTurn()
    const window = text.slice(Math.max(0, start - OVERLAP_CHARS), start + WINDOW_CHARS)
    if (rules.some((rule) => matches(rule, window))) return true
  }
  return false
}

function matches({ pattern, precededBy, isSecret = () => true }: Rule, text: string): boolean {
  for (const match of text.matchAll(pattern)) {
    const [whole, ...groups] = match
    if (precededBy && !precededBy.test(text.slice(Math.max(0, match.index - MAX_START_CHARS), match.index)))
      continue
    const value = groups.find((group) => group !== undefined) ?? whole
    if (isSecret(value, /["'`]/.test(whole.at(-1)!))) return true
  }
  return false
}

/** Returns the encoding of a two-byte byte order mark, if there is one. */
function detectWideEncoding(content: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  if (content[0] === 0xff && content[1] === 0xfe) return 'utf-16le'
  return content[0] === 0xfe && content[1] === 0xff ? 'utf-16be' : undefined
}

function withoutNuls(content: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(content.length)
  let length = 0
  for (const byte of content) {
    if (byte === 0) continue
    bytes[length] = byte
    length += 1
  }
  return bytes.subarray(0, length)
}
