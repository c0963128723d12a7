import { cookieWish, NAME_PATTERN, nullable, objectOf, rowOf } from '#plugin-api'

const time = { type: 'integer', description: 'Unix seconds' } as const
const flag = { type: 'boolean' } as const

const code = {
  type: 'string',
  minLength: 1,
  maxLength: 64,
  writeOnly: true,
  description: 'The code that the app shows now, or a recovery code',
  examples: ['492039'],
} as const
const appCode = { ...code, description: 'The code that the app shows now' } as const
const password = {
  type: 'string',
  minLength: 1,
  maxLength: 200,
  writeOnly: true,
  description: 'Required if this session was opened more than ten minutes ago',
  examples: ['correct horse battery staple 7'],
} as const

/** The body of POST /auth/totp. */
export const setupBody = objectOf({
  password,
  code: { ...code, description: 'Required to replace an app: one of its codes, or a recovery code' },
})
export const confirmBody = rowOf({ code: appCode })
export const codeBody = rowOf({ code })

/** The body of calls that only need to know that the user is there. */
export const presenceBody = objectOf({ password })

export const totpState = {
  title: 'TotpState',
  ...rowOf({
    enabled: { ...flag, description: 'True if a sign-in with the password needs a code' },
    required: {
      ...flag,
      description: 'True if the server requires a second factor of accounts with this role',
      examples: [false],
    },
    confirmed_at: { ...nullable(time), description: 'Unix seconds; null if no app is set up' },
    last_used_at: { ...nullable(time), description: 'Unix seconds; null if no app is set up' },
    recovery_codes_left: {
      type: 'integer',
      description: 'Recovery codes that were not used yet',
      examples: [10],
    },
  }),
} as const

export const totpSetup = {
  title: 'TotpSetup',
  ...rowOf({
    secret: {
      type: 'string',
      description: 'In Base32, to be typed into an app; it is never shown again',
      examples: ['JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'],
    },
    otpauth_url: {
      type: 'string',
      description: 'The same for a QR code',
      examples: ['otpauth://totp/svc:ada?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=svc'],
    },
  }),
} as const

export const recoveryCodes = {
  title: 'RecoveryCodes',
  ...rowOf({
    recovery_codes: {
      type: 'array',
      items: { type: 'string' },
      description: 'Ten codes, each of which replaces a code of the app once; they are shown only now',
      examples: [['3k9d-x0vq-7m2c-p8ht', 'w4ez-1rna-55gj-t6yb']],
    },
  }),
} as const

const name = {
  type: 'string',
  minLength: 1,
  maxLength: 64,
  pattern: NAME_PATTERN,
  description: 'Tells it from your other passkeys',
  examples: ['Laptop'],
} as const

const encoded = (maxLength: number) =>
  ({ type: 'string', maxLength, pattern: '^[A-Za-z0-9_-]+$', description: 'Base64url' }) as const
const short = encoded(1400)
const long = { ...encoded(65_536), writeOnly: true } as const
const anything = { type: 'object', additionalProperties: true } as const

const credential = {
  id: { ...short, examples: ['kF3v0d1bQ2aZ'] },
  rawId: { ...short, examples: ['kF3v0d1bQ2aZ'] },
  type: { const: 'public-key' },
  authenticatorAttachment: { title: 'PasskeyAttachment', enum: ['platform', 'cross-platform'] },
  clientExtensionResults: anything,
} as const

/** The reply of an authenticator to the options of a registration, as browsers write it in JSON. */
const attestation = {
  title: 'PasskeyAttestation',
  ...rowOf(
    {
      ...credential,
      response: rowOf(
        {
          clientDataJSON: { ...long, examples: ['eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0'] },
          attestationObject: { ...long, examples: ['o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVg'] },
          authenticatorData: { ...long, examples: ['SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ'] },
          publicKey: { ...long, examples: ['MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE'] },
          publicKeyAlgorithm: { type: 'integer', examples: [-7] },
          transports: {
            type: 'array',
            items: { type: 'string', maxLength: 32 },
            maxItems: 16,
            examples: [['internal']],
          },
        },
        ['authenticatorData', 'publicKey', 'publicKeyAlgorithm', 'transports'],
      ),
    },
    ['authenticatorAttachment'],
  ),
} as const

/** The reply of an authenticator to the options of a sign-in. */
const assertion = {
  title: 'PasskeyAssertion',
  ...rowOf(
    {
      ...credential,
      response: rowOf(
        {
          clientDataJSON: { ...long, examples: ['eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0'] },
          authenticatorData: { ...long, examples: ['SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ'] },
          signature: { ...long, examples: ['MEUCIQDp3dJvV1mT0QIgYw8Zs2h'] },
          userHandle: {
            ...nullable(short),
            description: 'Base64url',
            examples: ['MDFLRFZNRjAwMDAwMDAwMDAw'],
          },
        },
        ['userHandle'],
      ),
    },
    ['authenticatorAttachment'],
  ),
} as const

export const newPasskey = rowOf({ name, attestation })
export const passkeySignIn = rowOf({ assertion, cookie: cookieWish }, ['cookie'])
export const passkeyChanges = rowOf({ name })
export const passkeyParams = rowOf({ id: { type: 'string', description: 'The id of a passkey of your own' } })

/** Options for `navigator.credentials`, which a later version of the standard may extend. */
export const creationOptions = {
  title: 'PasskeyCreationOptions',
  description: '`PublicKeyCredentialCreationOptionsJSON` of Web Authentication',
  ...anything,
} as const
export const requestOptions = {
  title: 'PasskeyRequestOptions',
  description: '`PublicKeyCredentialRequestOptionsJSON` of Web Authentication',
  ...anything,
} as const

export const passkeyRow = {
  title: 'Passkey',
  ...rowOf({
    id: { type: 'string', examples: ['kF3v0d1bQ2aZ'] },
    name,
    domain: {
      type: 'string',
      description: 'The domain of the pages on which it works',
      examples: ['agents.example.com'],
    },
    backed_up: {
      ...flag,
      description: 'True if it is also stored elsewhere, such as in an account at the maker of the device',
    },
    created_at: time,
    last_used_at: { ...nullable(time), description: 'Unix seconds; null before the first use' },
  }),
} as const
