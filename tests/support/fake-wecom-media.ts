import { createCipheriv, createHash, randomBytes, randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { SentFile } from '../../plugin-api/testing/fake-platform.ts'
import { type Body, Refusal } from './fake-wecom-board.ts'

const MAX_PIECE = 512 * 1024
const MAX_PIECES = 100

interface Upload {
  type: string
  filename: string
  size: number
  pieces: number
  md5: string
  received: Map<number, Buffer>
}

/** Files that people send, each under an address and a key of its own, and those that the bot uploads. */
export function createMedia(violations: string[]) {
  const sent = new Map<string, { file: SentFile; bytes: Buffer }>()
  const uploads = new Map<string, Upload>()
  const media = new Map<string, { type: string; file: SentFile }>()

  /** Encrypts as the platform does: the padding fills blocks of 32 bytes. */
  function encrypt(bytes: Uint8Array, key: Buffer): Buffer {
    const padding = 32 - (bytes.length % 32)
    const cipher = createCipheriv('aes-256-cbc', key, key.subarray(0, 16)).setAutoPadding(false)
    return Buffer.concat([
      cipher.update(bytes),
      cipher.update(Buffer.alloc(padding, padding)),
      cipher.final(),
    ])
  }

  return {
    /** Returns the fields of a file message; the Base64 key lacks its padding, as on the platform. */
    offer(origin: string, file: SentFile): Body {
      const key = randomBytes(32)
      const id = randomUUID()
      sent.set(id, { file, bytes: encrypt(file.bytes, key) })
      const url = `${origin}/files/${id}?sign=${randomBytes(8).toString('hex')}`
      return { url, aeskey: key.toString('base64').replace(/=+$/, '') }
    },

    serve(path: string, response: ServerResponse) {
      const file = sent.get(path.replace('/files/', ''))
      if (!file) return void response.writeHead(404).end()
      const filename = encodeURIComponent(file.file.filename)
      response.writeHead(200, {
        'content-type': 'application/octet-stream',
        'content-disposition': `attachment; filename="file"; filename*=UTF-8''${filename}`,
      })
      response.end(file.bytes)
    },

    /** No file that was sent can be fetched any longer. */
    forget: () => sent.clear(),

    /** Cuts the files that were sent, so that their end is missing. */
    cut() {
      for (const entry of sent.values()) entry.bytes = entry.bytes.subarray(0, entry.bytes.length - 7)
    },

    uploadOf(type: string, media_id: string): SentFile {
      const mediaFile = media.get(media_id)
      if (mediaFile?.type !== type) throw new Refusal(40007, 'invalid media_id')
      return mediaFile.file
    },

    init({ type, filename, total_size: size, total_chunks: pieces, md5 }: Body): Body {
      if (!['file', 'image', 'voice', 'video'].includes(type)) throw new Refusal(40004, 'invalid media type')
      if (!filename || Buffer.byteLength(filename) > 256) throw new Refusal(40058, 'invalid filename')
      if (!(size >= 5) || !(pieces >= 1 && pieces <= MAX_PIECES))
        throw new Refusal(40006, 'invalid file size')
      const upload_id = randomUUID()
      uploads.set(upload_id, { type, filename, size, pieces, md5, received: new Map() })
      return { upload_id }
    },

    chunk({ upload_id, chunk_index: index, base64_data }: Body) {
      const upload = uploads.get(upload_id)
      const bytes = Buffer.from(base64_data ?? '', 'base64')
      if (!upload || !(index >= 0 && index < upload.pieces)) throw new Refusal(40058, 'invalid chunk')
      if (bytes.length === 0 || bytes.length > MAX_PIECE) throw new Refusal(40006, 'invalid chunk size')
      if (upload.received.has(index)) violations.push('a piece of a file was uploaded twice')
      upload.received.set(index, bytes)
    },

    finish({ upload_id }: Body): Body {
      const upload = uploads.get(upload_id)
      if (!upload) throw new Refusal(40058, 'invalid upload_id')
      const { type, filename, size, pieces, md5, received } = upload
      const bytes = Buffer.concat(
        Array.from({ length: pieces }, (_, index) => received.get(index) ?? Buffer.alloc(0)),
      )
      if (bytes.length !== size || createHash('md5').update(bytes).digest('hex') !== md5)
        throw new Refusal(40058, 'the file is not whole')
      uploads.delete(upload_id)
      const media_id = randomUUID()
      const media_type = type === 'image' ? 'image/png' : 'application/octet-stream'
      media.set(media_id, { type, file: { filename, media_type, bytes } })
      return { type, media_id, created_at: '1700000000' }
    },
  }
}
