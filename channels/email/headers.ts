import type { Address, Email } from 'postal-mime'
import { readIds, type ThreadIds } from './threading.ts'

/** Somebody in a header; the address is in lower case. */
export interface Person {
  address: string
  name: string
}

/** The parts of a mail's headers that are used here. */
export interface MailHeaders extends ThreadIds {
  /** Everybody in the headers From, of which a mail should have one with one person. */
  from: Person[]
  /** To and Cc, without repetitions. */
  to: Person[]
  cc: Person[]
  /** Addresses to which the mail server says that it delivered the mail. */
  delivered_to: string[]
  subject: string
  /** Returns the values of a header, the first one first; the name in lower case. */
  values(name: string): string[]
}

/** The largest part of the headers that is read, in bytes. */
export const MAX_HEADER_BYTES = 128 * 1024

const listPeople = (addresses: readonly Address[] = []): Person[] => {
  const people = addresses.flatMap((entry) => entry.group ?? [entry])
  const named = people.flatMap(({ name, address }): Person[] =>
    address ? [{ name: name.trim(), address: address.trim().toLowerCase() }] : [],
  )
  return [...new Map(named.map((person) => [person.address, person])).values()]
}

/** Parses the headers of a mail. `fallback_id` is used as its Message-ID if it has none. */
export async function readHeaders(source: Uint8Array, fallback_id: string): Promise<MailHeaders> {
  const { default: PostalMime, addressParser } = await import('postal-mime')
  const mail: Email = await PostalMime.parse(source, { maxHeadersSize: MAX_HEADER_BYTES })
  const values = (name: string) => mail.headers.filter(({ key }) => key === name).map(({ value }) => value)
  return {
    from: values('from').flatMap((value) => listPeople(addressParser(value, { flatten: true }))),
    to: listPeople(mail.to),
    cc: listPeople(mail.cc),
    delivered_to: [...values('delivered-to'), ...values('x-original-to')].map((value) =>
      value.trim().replace(/^<|>$/g, '').toLowerCase(),
    ),
    subject: (mail.subject ?? '').replaceAll(/\s+/g, ' ').trim(),
    message_id: readIds(values('message-id')[0])[0] ?? `<${fallback_id}>`,
    in_reply_to: readIds(values('in-reply-to')[0]),
    references: readIds(values('references')[0]),
    values,
  }
}
