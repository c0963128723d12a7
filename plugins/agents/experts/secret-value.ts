/** Placeholders that people write in place of a secret. */
const PLACEHOLDERS: readonly RegExp[] = [
  // References of shells, templates and build files.
  /^(?:\$[{(]|\$[A-Za-z_]+$|\{\{|%[\w(]|[[{<][A-Za-z_. -]*[\]}>]?$)/,
  /^(?:var|local|data|secrets|env)\.|process\.env|environ|getenv|vault:/i,
  // Repeated characters.
  /^(.)\1*$/u,
  /\*{3}|x{4}|\.{3}|…|_{4}|-{4}/i,
  // Words that say that it is a placeholder.
  /^(?:your|enter|insert|some|any)[_-]|(?:your|my)[_-]?(?:own|secret|token|api|key|pass|access)/i,
  /example|sample|dummy|placeholder|redacted|(?:change|replace|set)[_-]?(?:me|this|it|with)/i,
  /^(?:pass(?:word|wd|phrase)?|pwd|secret|token|key|api[_-]?key|user(?:name)?|credentials?|none|null|nil|undefined|true|false|string|todo|tbd)$/i,
  /123456789|abcdefgh/i,
  /你的|您的|请输入|请填写|示例|占位|密码|密钥|口令|令牌/,
]

/** Code that reads a value from elsewhere: a name, a member, a call. */
const CODE: readonly RegExp[] = [
  /^[A-Za-z_$]+[0-9]{0,2}(?:\??\.[A-Za-z_$]+[0-9]{0,2}){0,8}[)\]};:]*$/,
  /^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*){0,8}[([]/,
]

/** Addresses and paths. */
const ADDRESSES: readonly RegExp[] = [
  /^[a-z][a-z0-9+.-]{1,20}:\/\//i,
  /^(?:~|\.{1,2})?\/(?:[a-z0-9._-]+\/)+[\w.-]+$/,
]

const CLASSES: readonly RegExp[] = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^A-Za-z0-9]/]

/** True if a value is a placeholder. */
export function isPlaceholder(value: string): boolean {
  return PLACEHOLDERS.some((pattern) => pattern.test(value))
}

/** True if a value has a digit, as generated values have, unlike words. */
export function hasDigit(value: string): boolean {
  return /[0-9]/.test(value)
}

/**
 * True if a value assigned to a name such as `password` looks real: a mixture of characters, as in generated values
 * and good passwords, and neither a placeholder nor a reference. A value without quotes may also be code.
 */
export function isLikelySecret(value: string, isQuoted: boolean): boolean {
  if (isPlaceholder(value)) return false
  const references = isQuoted ? ADDRESSES : [...ADDRESSES, ...CODE]
  if (references.some((pattern) => pattern.test(value))) return false
  const classes = CLASSES.filter((kind) => kind.test(value)).length
  const entropy = measureEntropy(value)
  if (value.length < 12) return classes >= 3 && hasDigit(value) && entropy >= 2.75
  if (hasDigit(value)) return classes >= 2 && entropy >= 3
  return value.length >= 20 && /[a-z]/.test(value) && /[A-Z]/.test(value) && entropy >= 4
}

/** Returns the Shannon entropy in bits per character. */
function measureEntropy(value: string): number {
  const counts = new Map<string, number>()
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length)
  return bits
}
