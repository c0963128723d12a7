import { ChannelFailure, type ChannelSettings, type InboundContent, type JSONValue } from '#plugin-api'
import { decrypt } from './decryption.ts'
import { explainFetchError, reasonOfStatus } from './failure.ts'
import { fieldsOf, stringOf } from './frame.ts'

/** How long a whole file may take, in milliseconds. */
const DOWNLOAD_MS = 120_000

/** How pictures begin: the platform does not say which sort one is. */
const BEGINNINGS: [RegExp, string][] = [
  [/^\x89PNG/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^GIF8/, 'image/gif'],
  [/^RIFF.{4}WEBP/s, 'image/webp'],
]

/** Gets a file of a message and takes its encryption off, piece by piece. */
export async function downloadFile(
  { fetch }: Pick<ChannelSettings, 'fetch'>,
  reference: JSONValue,
  aborted: AbortSignal,
): Promise<InboundContent> {
  const { url, aeskey, type } = fieldsOf(reference)
  // What `fetch` says of an address that it cannot read has that address in it, with its signature.
  if (!/^https?:/.test(stringOf(url)) || !URL.canParse(stringOf(url)))
    throw new ChannelFailure('not_found', 'The file of this message has no address')
  const signal = AbortSignal.any([aborted, AbortSignal.timeout(DOWNLOAD_MS)])
  const explain = (error: unknown) => explainFetchError(error, aborted)
  const response = await fetch(stringOf(url), { signal }).catch((error) => {
    throw explain(error)
  })
  if (!response.ok || !response.body) {
    await response.body?.cancel()
    throw new ChannelFailure(
      reasonOfStatus(response.status),
      `The file cannot be fetched, as WeCom answered with HTTP status ${response.status}; files are kept for five minutes`,
    )
  }
  const filename = filenameOf(response.headers.get('content-disposition'))
  const plain = decrypt(explained(response.body, explain), stringOf(aeskey))
  if (type !== 'image') return { bytes: plain, ...(filename && { filename }) }
  const first = await plain.next()
  const media_type = first.done ? undefined : pictureOf(first.value)
  return {
    bytes: rejoin(first, plain),
    ...(filename && { filename }),
    ...(media_type && { media_type }),
  }
}

async function* explained(body: AsyncIterable<Uint8Array>, explain: (error: unknown) => unknown) {
  try {
    yield* body
  } catch (error) {
    throw explain(error)
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

function pictureOf(bytes: Uint8Array): string | undefined {
  const beginning = Buffer.from(bytes.subarray(0, 16)).toString('latin1')
  return BEGINNINGS.find(([pattern]) => pattern.test(beginning))?.[1]
}

/** The name in a Content-Disposition header, which may come in two forms, percent-encoded in either. */
function filenameOf(header: string | null): string | undefined {
  const name =
    /filename\*=utf-8''([^;\s]+)/i.exec(header ?? '')?.[1] ??
    /filename="([^"]+)"/i.exec(header ?? '')?.[1] ??
    /filename=([^;\s]+)/i.exec(header ?? '')?.[1]
  try {
    return name && decodeURIComponent(name)
  } catch {
    // A percent sign that encodes nothing belongs to the name.
    return name
  }
}
