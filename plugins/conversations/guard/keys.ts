import type { Span } from './rules.ts'

/**
 * The shapes of keys that services issue. Each begins with letters that hardly anything else begins with, and no part of
 * a shape can match in two ways, so that a text is read in linear time.
 */
const SHAPES = [
  // Amazon, Alibaba, Tencent
  '(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Za-z0-9])',
  'LTAI[A-Za-z0-9]{16,26}(?![A-Za-z0-9])',
  'AKID[A-Za-z0-9]{32}(?![A-Za-z0-9])',
  // GitHub, GitLab, npm, PyPI
  'gh[pousr]_[A-Za-z0-9]{36,255}',
  'github_pat_[A-Za-z0-9_]{36,255}',
  'glpat-[\\w-]{20,255}',
  'npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])',
  'pypi-AgE[\\w-]{50,255}',
  // Slack, Telegram, SendGrid
  'xox[abeprs]-[A-Za-z0-9-]{20,255}',
  'xapp-\\d-[A-Za-z0-9-]{20,255}',
  '\\d{8,10}:AA[\\w-]{33}(?![\\w-])',
  'SG\\.[\\w-]{22}\\.[\\w-]{43}(?![\\w-])',
  // Google
  'AIza[\\w-]{35}(?![\\w-])',
  'GOCSPX-[\\w-]{28}(?![\\w-])',
  'ya29\\.[\\w-]{40,2048}',
  // OpenAI, Anthropic, and the many that took over their form; Groq, xAI, Hugging Face
  'sk-(?:proj|svcacct|admin|ant|or)-[\\w-]{20,255}',
  'sk-[A-Za-z0-9]{32,255}(?![\\w-])',
  'sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}',
  'gsk_[A-Za-z0-9]{40,255}',
  'xai-[A-Za-z0-9]{60,255}',
  'hf_[A-Za-z]{34}(?![A-Za-z0-9])',
  // Stripe
  '[rs]k_live_[A-Za-z0-9]{16,255}',
  'whsec_[A-Za-z0-9]{32,255}',
  // JSON Web Tokens
  '(?<!-)eyJ[\\w-]{10,2048}\\.eyJ[\\w-]{10,8192}\\.[\\w-]{10,8192}',
  // Private keys, to their end or that of the text
  '-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----[^]*?(?:-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----|$)',
]

/** The first two characters of every shape: all other places are passed over at once. */
const BEGIN = '(?=A[KSBCI]|LT|g[hlis]|np|py|x[oa]|\\d\\d|SG|GO|ya|sk|hf|rk|wh|ey|--)'

const KEYS = new RegExp(`(?<![A-Za-z0-9_])${BEGIN}(?:${SHAPES.join('|')})`, 'g')

/** Finds keys of services, tokens and private keys. */
export const findKeys = (text: string): Span[] =>
  [...text.matchAll(KEYS)].map((match) => ({ start: match.index, end: match.index + match[0].length }))
