import { findMissingPackage } from '#toolbox'

/** The longest side of a picture that is scaled down, in pixels; vendors scale larger ones down themselves. */
const SIDES = [2048, 1024, 512]

/** The most pixels of a picture that is decoded. */
const MAX_PIXELS = 50_000_000

interface Sharp {
  rotate(): Sharp
  resize(size: { width: number; height: number; fit: 'inside'; withoutEnlargement: true }): Sharp
  webp(options: { quality: number }): Sharp
  toBuffer(): Promise<Buffer>
}

type CreateSharp = (input: Uint8Array, options: { limitInputPixels: number; failOn: 'error' }) => Sharp

/**
 * Scales a picture down to at most this many bytes by the package sharp, in its own threads. Returns undefined if sharp is
 * not installed or cannot read the picture.
 */
export async function scalePicture(
  picture: Uint8Array,
  max_bytes: number,
): Promise<{ data: Uint8Array; mediaType: string } | undefined> {
  const sharp = await loadSharp()
  if (!sharp) return undefined
  for (const side of SIDES) {
    const resized = sharp(picture, { limitInputPixels: MAX_PIXELS, failOn: 'error' })
      .rotate()
      .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
      .webp({ quality: 85 })
    // A picture that cannot be read is reported like one that is too large.
    const data = await resized.toBuffer().catch(() => undefined)
    if (!data) return undefined
    if (data.length <= max_bytes) return { data, mediaType: 'image/webp' }
  }
  return undefined
}

/** Loads sharp, which is not a dependency: people install it who want pictures scaled. */
async function loadSharp(): Promise<CreateSharp | undefined> {
  const name = 'sharp'
  try {
    return ((await import(name)) as { default: CreateSharp }).default
  } catch (error) {
    if (findMissingPackage(error) === name) return undefined
    throw error
  }
}
