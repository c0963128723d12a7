import { ChannelFailure, type ChannelSettings, type InboundContent, type JSONValue } from '#plugin-api'
import { createDeadline, detectPictureType, readPieces, toObject, toText } from '#toolbox'
import { decrypt, readKey } from './decryption.ts'
import { toFetchFailure, toReason } from './failure.ts'

/** Time limit for a whole file, in milliseconds. */
const DOWNLOAD_MS = 120_000

/** Downloads a file of a message and decrypts it as a stream. */
export async function downloadFile(
  { fetch }: Pick<ChannelSettings, 'fetch'>,
  reference: JSONValue,
  aborted: AbortSignal,
): Promise<InboundContent> {
  const { url, aeskey, type } = toObject(reference)
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
    const plain = decrypt(
      readPieces(response.body, (error) => toFetchFailure(error, aborted), { release }),
      key,
    )
    if (type !== 'image') return { bytes: plain, ...(filename && { filename }) }
    const first = await plain.next()
    // The platform does not send the type of an image.
    const media_type = first.done ? undefined : detectPictureType(first.value)
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

async function* rejoin(first: IteratorResult<Uint8Array>, others: AsyncGenerator<Uint8Array>) {
  try {
    if (first.done) return
    yield first.value
    yield* others
  } finally {
    await others.return(undefined)
  }
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
