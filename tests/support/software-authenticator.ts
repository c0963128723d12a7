import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** Flags of the data that an authenticator signs. */
const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
const HAS_CREDENTIAL = 0x40

type Cbor = number | string | Buffer | Map<number | string, Cbor>

/** Encodes a value as CBOR, in the canonical form of CTAP 2. */
function encode(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  const entries = [...value].flatMap(([key, entry]) => [encode(key), encode(entry)])
  return Buffer.concat([head(5, value.size), ...entries])
}

function head(major: number, size: number): Buffer {
  const type = major << 5
  if (size < 24) return Buffer.from([type | size])
  if (size < 256) return Buffer.from([type | 24, size])
  return Buffer.from([type | 25, size >> 8, size & 255])
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()

/** A key in the form of COSE: ES256 on the curve P-256. */
function toCose(key: KeyObject): Buffer {
  const { x, y } = key.export({ format: 'jwk' })
  const coordinate = (text: string | undefined) => Buffer.from(text!, 'base64url')
  return encode(
    new Map<number, Cbor>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, coordinate(x)],
      [-3, coordinate(y)],
    ]),
  )
}

interface Credential {
  id: Buffer
  rp_id: string
  user_handle: string
  private_key: KeyObject
  counter: number
}

/** Ways in which an authenticator, or the page before it, lies. */
export interface Lies {
  origin?: string
  challenge?: string
  counter?: number
  isVerified?: boolean
  userHandle?: string
  credential?: string
}

// biome-ignore lint/suspicious/noExplicitAny: options as the server writes them
type Options = any

/** Creates an authenticator that keeps its keys in memory and signs whatever a page of `origin` asks it to. */
export function createSoftwareAuthenticator(origin: string) {
  const credentials = new Map<string, Credential>()

  const writeClientData = (type: string, { challenge }: Options, lies: Lies) =>
    Buffer.from(
      JSON.stringify({
        type,
        challenge: lies.challenge ?? challenge,
        origin: lies.origin ?? origin,
        crossOrigin: false,
      }),
    )

  const writeData = (
    rp_id: string,
    counter: number,
    { isVerified = true }: Lies,
    attested = Buffer.alloc(0),
  ) => {
    const flags = USER_PRESENT | (isVerified ? USER_VERIFIED : 0) | (attested.length > 0 ? HAS_CREDENTIAL : 0)
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([sha256(rp_id), Buffer.from([flags]), count, attested])
  }

  const toJson = (id: Buffer, response: object) => ({
    id: id.toString('base64url'),
    rawId: id.toString('base64url'),
    type: 'public-key',
    authenticatorAttachment: 'platform',
    clientExtensionResults: {},
    response,
  })

  return {
    /** Makes a passkey, as `navigator.credentials.create` does. */
    create(options: Options, lies: Lies = {}) {
      const id = randomBytes(32)
      const { privateKey: private_key, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const rp_id: string = options.rp.id
      credentials.set(id.toString('base64url'), {
        id,
        rp_id,
        user_handle: options.user.id,
        private_key,
        counter: 0,
      })
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, toCose(publicKey)])
      const attestation = encode(
        new Map<string, Cbor>([
          ['fmt', 'none'],
          ['attStmt', new Map()],
          ['authData', writeData(rp_id, lies.counter ?? 0, lies, attested)],
        ]),
      )
      return toJson(id, {
        clientDataJSON: writeClientData('webauthn.create', options, lies).toString('base64url'),
        attestationObject: attestation.toString('base64url'),
        transports: ['internal'],
      })
    },

    /** Signs with a passkey of the domain, the newest one unless `lies` names another; it counts its uses. */
    get(options: Options, lies: Lies = {}) {
      const candidates = [...credentials.values()].filter(({ rp_id }) => rp_id === options.rpId)
      const chosen = lies.credential ? credentials.get(lies.credential) : candidates.at(-1)
      const credential = chosen!
      credential.counter += 1
      const clientData = writeClientData('webauthn.get', options, lies)
      const data = writeData(credential.rp_id, lies.counter ?? credential.counter, lies)
      const signature = sign('sha256', Buffer.concat([data, sha256(clientData)]), credential.private_key)
      return toJson(credential.id, {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: signature.toString('base64url'),
        userHandle: lies.userHandle ?? credential.user_handle,
      })
    },
  }
}
