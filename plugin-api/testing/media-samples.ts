import { makeSilence } from '../toolbox/silence.ts'

/** A picture of one pixel, as PNG in Base64. */
export const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** The words of the fakes for every recording. */
export const SPOKEN = 'Good morning.'

const STARTS: Record<string, Buffer> = {
  opus: Buffer.from('OggS'),
  flac: Buffer.from('fLaC'),
  aac: Buffer.from([0xff, 0xf1]),
}

const MP3 = Buffer.from([0xff, 0xfb, 0x90, 0x64])

/** Makes audio in a format of OpenAI's API, of which only the first bytes are true. */
export const makeAudio = (format: unknown): Buffer =>
  format === 'wav' ? makeSilence() : Buffer.concat([STARTS[String(format)] ?? MP3, Buffer.alloc(400)])
