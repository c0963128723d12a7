const SAMPLE_RATE = 8000
const SAMPLE_BYTES = 2

/** Makes silence of so many whole seconds, as a WAV file with one channel. */
export function makeSilence(seconds = 1): Buffer {
  const bytes = SAMPLE_RATE * SAMPLE_BYTES * seconds
  const header = Buffer.alloc(44)
  header.write('RIFF')
  header.writeUInt32LE(36 + bytes, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(SAMPLE_RATE, 24)
  header.writeUInt32LE(SAMPLE_RATE * SAMPLE_BYTES, 28)
  header.writeUInt16LE(SAMPLE_BYTES, 32)
  header.writeUInt16LE(SAMPLE_BYTES * 8, 34)
  header.write('data', 36)
  header.writeUInt32LE(bytes, 40)
  return Buffer.concat([header, Buffer.alloc(bytes)])
}
