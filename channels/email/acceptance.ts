import { type EmailConfig, isAllowedSender } from './config.ts'
import type { MailHeaders } from './headers.ts'

/** The reason why a mail is not answered, in words for the log; undefined for a mail of an allowed person. */
export function findObjection(headers: MailHeaders, config: EmailConfig): string | undefined {
  const { address, allowed_senders } = config
  const { from } = headers
  const [sender] = from
  if (!sender || from.length > 1) return 'it does not have exactly one sender'
  if (isOwnAddress(sender.address, address)) return 'it is from the mailbox itself'
  return (
    findAutomation(headers) ??
    (isAllowedSender(sender.address, allowed_senders)
      ? findForgery(headers, config)
      : 'its sender is not among the allowed senders')
  )
}

/** True if an address is that of the mailbox, also with a part behind a plus sign. */
export const isOwnAddress = (address: string, own: string): boolean =>
  address.replace(/\+[^@]*@/, '@') === own.toLowerCase()

const AUTOMATED_SENDER = /^(?:mailer-daemon|postmaster|no-?reply|do-?not-?reply|bounces?)(?:[+-][^@]*)?@/

/** Headers that only programs and lists set, and the values that people's mails may have. */
const AUTOMATION: readonly [header: string, isHuman: RegExp, words: string][] = [
  ['auto-submitted', /^no\b/i, 'it is an automatic reply'],
  ['precedence', /^(?!(?:bulk|list|junk|auto_reply)\b)/i, 'it is a bulk mail or an automatic reply'],
  [
    'x-auto-response-suppress',
    /^(?:none|(?:(?:dr|ndr|rn|nrn|oof)[\s,]*)*)$/i,
    'it asks for no automatic replies',
  ],
  ['x-autoreply', /^no\b/i, 'it is an automatic reply'],
  ['x-autorespond', /^(?!)/, 'it is an automatic reply'],
  ['list-id', /^(?!)/, 'it is of a mailing list'],
  ['list-post', /^(?!)/, 'it is of a mailing list'],
  ['list-unsubscribe', /^(?!)/, 'it is of a mailing list'],
  ['x-failed-recipients', /^(?!)/, 'it is a bounce'],
  ['return-path', /^(?!\s*<\s*>)/, 'it is a bounce'],
  ['content-type', /^(?!\s*multipart\/report\b)/i, 'it is a report of a mail server'],
]

/** The reason why a mail was written by a program; undefined for a mail of a person. */
function findAutomation({ from, values }: MailHeaders): string | undefined {
  if (AUTOMATED_SENDER.test(from[0]!.address)) return 'its sender is a program'
  return AUTOMATION.find(([header, isHuman]) =>
    values(header).some((value) => !isHuman.test(value.trim())),
  )?.[2]
}

/** The results of one mail server's checks. */
interface Authentication {
  authserv_id: string
  /** Results by method, such as `pass`; of several of one method, `pass` counts. */
  results: Map<string, string>
  /** True if a check passed for the domain of the sender, or one above it or below it. */
  is_aligned: boolean
}

/** Parses an Authentication-Results header (RFC 8601). */
export function readAuthentication(value: string, sender_domain: string): Authentication {
  const [first = '', ...parts] = withoutComments(value).split(';')
  const results = new Map<string, string>()
  let isAligned = false
  for (const part of parts) {
    const [, method, result] = /^\s*([\w-]+)(?:\/\d+)?\s*=\s*([\w-]+)/.exec(part) ?? []
    if (!method || !result) continue
    const [name, outcome] = [method.toLowerCase(), result.toLowerCase()]
    if (results.get(name) !== 'pass') results.set(name, outcome)
    const domain = /\b(?:header\.(?:d|i|from)|smtp\.(?:mailfrom|helo))\s*=\s*"?(?:[^\s"@]*@)?([^\s"]+)/i.exec(
      part,
    )?.[1]
    if (outcome === 'pass' && domain && isSameOrganization(domain.toLowerCase(), sender_domain))
      isAligned = true
  }
  return { authserv_id: first.trim().split(/\s/, 1)[0]!.toLowerCase(), results, is_aligned: isAligned }
}

/** Removes comments in brackets, also nested ones. */
function withoutComments(value: string): string {
  let text = value
  for (let depth = 0; depth < 5; depth += 1) text = text.replace(/\([^()]*\)/g, ' ')
  return text
}

const isSameOrganization = (one: string, other: string) =>
  one === other || one.endsWith(`.${other}`) || other.endsWith(`.${one}`)

/**
 * The reason why a mail may be forged; undefined if nothing speaks for that. Without `authserv_id` only failures count,
 * since anybody can write a header that says that a check has passed, while a failure harms only who wrote it.
 */
function findForgery({ from, values }: MailHeaders, { authserv_id }: EmailConfig): string | undefined {
  const domain = from[0]!.address.split('@').at(-1)!
  const checks = values('authentication-results').map((value) => readAuthentication(value, domain))
  if (authserv_id) {
    // The first one with this name is from the mail server itself; those below it came with the mail.
    const serverCheck = checks.find((check) => check.authserv_id === authserv_id.toLowerCase())
    if (!serverCheck) return `it has no Authentication-Results of ${authserv_id}`
    const dmarc = serverCheck.results.get('dmarc')
    if (dmarc === 'pass') return undefined
    if (dmarc === undefined || dmarc === 'none')
      return serverCheck.is_aligned ? undefined : 'neither SPF nor DKIM confirms its sender'
    return `its sender failed DMARC (${dmarc})`
  }
  const [newest] = checks
  if (!newest) return undefined
  const { results } = newest
  const [dmarc, spf = 'none', dkim = 'none'] = ['dmarc', 'spf', 'dkim'].map((method) => results.get(method))
  if (dmarc === 'fail' || dmarc === 'permerror') return `its sender failed DMARC (${dmarc})`
  if (dmarc === 'pass') return undefined
  if (spf === 'fail' && dkim !== 'pass') return 'its sender failed SPF'
  if (dkim === 'fail' && spf !== 'pass') return 'its signature (DKIM) is wrong'
  return undefined
}
