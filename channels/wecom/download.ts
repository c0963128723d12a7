import { ChannelFailure, type ChannelSettings, type InboundContent, type JSONValue } from '#plugin-api'
import { createDeadline } from '#toolbox'
import { decrypt, readKey } from './decryption.ts'
import { toFetchFailure, toReason } from './failure.ts'
import { toFields, toText } from './frame.ts'

/** Time limit for a whole file, in milliseconds. */
const DOWNLOAD_MS = 120_000

/** Signatures of image types, which the platform does not send. */
const SIGNATURES: [RegExp, string][] = [
  [/^\x89PNG/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^GIF8/, 'image/gif'],
  [/^RIFF.{4}WEBP/s, 'image/webp'],
]

/** Downloads a file of a message and decrypts it as a stream. */
export async function downloadFile(
  { fetch }: Pick<ChannelSettings, 'fetch'>,
  reference: JSONValue,
  aborted: AbortSignal,
): Promise<InboundContent> {
  const { url, aeskey, type } = toFields(reference)
  // Checked here because the error of `fetch` for an invalid address contains the signed address.
  if (!/^https?:/.test(toText(url)) || !URL.canParse(toText(url)))
    throw new ChannelFailure('not_found', 'The file of this message has no address')
  const key = readKey(toText(aeskey))
  const { signal, release } = createDeadline([aborted], { milliseconds: DOWNLOAD_MS })
  try {
    const response = await fetch(toText(url), { signal })
    if (!response.ok || !response.body) {
      await response.body?.cancel()
      throw new ChannelFailure(
        toReason(response.status),
        `The file could not be downloaded (HTTP status ${response.status}); WeCom stores files for five minutes`,
      )
    }
    const filename = readFilename(response.headers.get('content-disposition'))
    const plain = decrypt(readBody(response.body, aborted, release), key)
    if (type !== 'image') return { bytes: plain, ...(filename && { filename }) }
    const first = await plain.next()
    const media_type = first.done ? undefined : detectImage(first.value)
    return {
      bytes: rejoin(first, plain),
      ...(filename && { filename }),
      ...(media_type && { media_type }),
    }
  } catch (error) {
    release()
    throw toFetchFailure(error, aborted)
  }
}

async function* readBody(body: AsyncIterable<Uint8Array>, aborted: AbortSignal, release: () => void) {
  try {
    yield* body
  } catch (error) {
    throw toFetchFailure(error, aborted)
  } finally {
    release()
  }
}

async function* rejoin(first: IteratorResult<Uint8Array>, rest: AsyncGenerator<Uint8Array>) {
  try {
    if (first.done) return
    yield first.value
    yield* rest
  } finally {
    await rest.return(undefined)
  }
}

function detectImage(bytes: Uint8Array): string | undefined {
  const beginning = Buffer.from(bytes.subarray(0, 16)).toString('latin1')
  return SIGNATURES.find(([pattern]) => pattern.test(beginning))?.[1]
}

/** Reads the name from a Content-Disposition header; it may be percent-encoded in both of its forms. */
function readFilename(header: string | null): string | undefined {
  const name =
    /filename\*=utf-8''([^;\s]+)/i.exec(header ?? '')?.[1] ??
    /filename="([^"]+)"/i.exec(header ?? '')?.[1] ??
    /filename=([^;\s]+)/i.exec(header ?? '')?.[1]
  try {
    return name && decodeURIComponent(name)
  } catch {
    // An invalid percent encoding is part of the name.
    return name
  }
}
