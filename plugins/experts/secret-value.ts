/** What people write where a secret is to be put in. */
const PLACEHOLDERS: readonly RegExp[] = [
  // References, as shells, templates and build files have them.
  /^(?:\$[{(]|\$[A-Za-z_]+$|\{\{|%[\w(]|[[{<][A-Za-z_. -]*[\]}>]?$)/,
  /^(?:var|local|data|secrets|env)\.|process\.env|environ|getenv|vault:/i,
  // Characters that stand for any.
  /^(.)\1*$/u,
  /\*{3}|x{4}|\.{3}|…|_{4}|-{4}/i,
  // Words that say so.
  /^(?:your|enter|insert|some|any)[_-]|(?:your|my)[_-]?(?:own|secret|token|api|key|pass|access)/i,
  /example|sample|dummy|placeholder|redacted|(?:change|replace|set)[_-]?(?:me|this|it|with)/i,
  /^(?:pass(?:word|wd|phrase)?|pwd|secret|token|key|api[_-]?key|user(?:name)?|credentials?|none|null|nil|undefined|true|false|string|todo|tbd)$/i,
  /123456789|abcdefgh/i,
  /你的|您的|请输入|请填写|示例|占位|密码|密钥|口令|令牌/,
]

/** Code that takes a value from elsewhere: a name, a member of something, a call. */
const CODE: readonly RegExp[] = [
  /^[A-Za-z_$]+[0-9]{0,2}(?:\??\.[A-Za-z_$]+[0-9]{0,2}){0,8}[)\]};:]*$/,
  /^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*){0,8}[([]/,
]

/** The addresses and paths of what is elsewhere. */
const ADDRESSES: readonly RegExp[] = [
  /^[a-z][a-z0-9+.-]{1,20}:\/\//i,
  /^(?:~|\.{1,2})?\/(?:[a-z0-9._-]+\/)+[\w.-]+$/,
]

const CLASSES: readonly RegExp[] = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^A-Za-z0-9]/]

/** Whether a value only holds the place of one. */
export function isPlaceholder(value: string): boolean {
  return PLACEHOLDERS.some((pattern) => pattern.test(value))
}

/** Whether there is a digit, as in what is generated, unlike in words. */
export function hasDigit(value: string): boolean {
  return /[0-9]/.test(value)
}

/**
 * Whether a value that is assigned to a name such as `password` looks like a real one: a mixture of characters, as
 * generated values and good passwords are, and neither a placeholder nor a reference. One without quotes may be code.
 */
export function isLikelySecret(value: string, isQuoted: boolean): boolean {
  if (isPlaceholder(value)) return false
  const references = isQuoted ? ADDRESSES : [...ADDRESSES, ...CODE]
  if (references.some((pattern) => pattern.test(value))) return false
  const classes = CLASSES.filter((kind) => kind.test(value)).length
  const entropy = entropyOf(value)
  if (value.length < 12) return classes >= 3 && hasDigit(value) && entropy >= 2.75
  if (hasDigit(value)) return classes >= 2 && entropy >= 3
  return value.length >= 20 && /[a-z]/.test(value) && /[A-Z]/.test(value) && entropy >= 4
}

/** Shannon's entropy in bits per character. */
function entropyOf(value: string): number {
  const counts = new Map<string, number>()
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length)
  return bits
}
