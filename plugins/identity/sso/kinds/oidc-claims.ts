import type { ForeignIdentity } from '../sign-in-kind.ts'

type Claims = Readonly<Record<string, unknown>>

const SOAP = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims'

/** The claims of Keycloak, Okta, Entra, ADFS and Google that may name an account, the most telling first. */
const NAME_CLAIMS = [
  'preferred_username',
  'upn',
  'unique_name',
  'winaccountname',
  'username',
  `${SOAP}/upn`,
  'http://schemas.microsoft.com/ws/2008/06/identity/claims/windowsaccountname',
  `${SOAP}/name`,
  'email',
  `${SOAP}/emailaddress`,
  'nickname',
  'name',
  'displayname',
  'commonname',
  'http://schemas.xmlsoap.org/claims/CommonName',
]

/** The claims of a person's whole name, the best first. */
const DISPLAY_CLAIMS = [
  'name',
  'displayname',
  'http://schemas.microsoft.com/identity/claims/displayname',
  'commonname',
  'http://schemas.xmlsoap.org/claims/CommonName',
  'nickname',
]

/** The claims of the parts of a name, in their order. */
const PART_CLAIMS = [
  ['given_name', 'family_name'],
  [`${SOAP}/givenname`, `${SOAP}/surname`],
] as const

/** The claims of the ID token that describe the token and not the user. */
const TOKEN_CLAIMS = ['nonce', 'at_hash', 'c_hash', 's_hash', 'sid', 'jti']

/** Returns the identity that claims describe. */
export function toIdentity(claims: Claims & { iss: string; sub: string }): ForeignIdentity {
  const { iss, sub, email, email_verified } = claims
  const text = (name: string) => {
    const value = claims[name]
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
  }
  const texts = (names: readonly string[]) => names.map(text).filter((value) => value !== undefined)
  const parts = PART_CLAIMS.map((names) => texts(names).join(' ')).find((name) => name !== '')
  return {
    issuer: iss,
    subject: sub,
    usernames: texts(NAME_CLAIMS),
    display_name: texts(DISPLAY_CLAIMS)[0] ?? parts ?? null,
    email: typeof email === 'string' && ![false, 'false'].includes(email_verified as never) ? email : null,
    claims: Object.fromEntries(Object.entries(claims).filter(([name]) => !TOKEN_CLAIMS.includes(name))),
  }
}
