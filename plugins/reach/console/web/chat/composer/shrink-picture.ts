/** The longest side that models look at; they scale larger pictures down. */
const MAX_SIDE_PX = 2048
/** Vendors take at most 5 MB of a picture as base64. */
const MAX_BYTES = 3_500_000
/** The pictures that every model with pictures reads. */
const READ_BY_MODELS = /^image\/(png|jpeg|webp)$/
/** Pictures that are kept as they are: animations, and drawings that are text. */
const KEPT = /^image\/(gif|svg\+xml|apng)$/
const QUALITY = 0.9
/** Each side shrinks by this factor until a picture has few enough bytes. */
const STEP = 0.75

/**
 * Scales a picture down to what models look at, upright and in a format that they read. It stays as it is if it fits
 * already, or if this browser cannot read it.
 */
export async function shrinkPicture(file: File): Promise<File> {
  if (KEPT.test(file.type)) return file
  const picture = await createImageBitmap(file, { imageOrientation: 'from-image' }).catch(() => undefined)
  if (!picture) return file
  try {
    const longest = Math.max(picture.width, picture.height)
    const isFit = longest <= MAX_SIDE_PX && file.size <= MAX_BYTES && READ_BY_MODELS.test(file.type)
    if (isFit && (await readOrientation(file)) === 1) return file
    const content = await encode(picture, Math.min(1, MAX_SIDE_PX / longest), file.type)
    return content ? new File([content], rename(file.name, content.type), { type: content.type }) : file
  } finally {
    picture.close()
  }
}

/** Writes a picture in the first of its formats that is small enough; undefined if this browser cannot. */
async function encode(picture: ImageBitmap, scale: number, type: string): Promise<Blob | undefined> {
  const width = Math.max(1, Math.round(picture.width * scale))
  const height = Math.max(1, Math.round(picture.height * scale))
  const canvas = Object.assign(document.createElement('canvas'), { width, height })
  const context = canvas.getContext('2d')
  if (!context) return undefined
  context.imageSmoothingQuality = 'high'
  context.drawImage(picture, 0, 0, width, height)
  for (const format of listFormats(type, context)) {
    const content = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, format, QUALITY))
    if (content && content.size <= MAX_BYTES) return content
  }
  return Math.max(width, height) > 1 ? encode(picture, scale * STEP, type) : undefined
}

/** The formats for a picture of a type: its own if models read it, then smaller ones; only JPEG is never transparent. */
function listFormats(type: string, context: CanvasRenderingContext2D): string[] {
  if (type === 'image/jpeg') return ['image/jpeg']
  const own = type === 'image/webp' ? 'image/webp' : 'image/png'
  if (isTransparent(context)) return [own, 'image/webp']
  return READ_BY_MODELS.test(type) ? [own, 'image/jpeg'] : ['image/jpeg']
}

function isTransparent(context: CanvasRenderingContext2D): boolean {
  const { data } = context.getImageData(0, 0, context.canvas.width, context.canvas.height)
  for (let index = 3; index < data.length; index += 4) if (data[index] !== 255) return true
  return false
}

/** Returns a name with the ending of a type. */
const rename = (name: string, type: string) =>
  `${name.replace(/\.[^.]*$/, '') || 'picture'}.${type === 'image/jpeg' ? 'jpg' : type.slice('image/'.length)}`

/** The part of a file that has its EXIF data, if there is any. */
const HEAD_BYTES = 128 * 1024
const APP1 = 0xffe1
const ORIENTATION = 0x0112

/** Returns the EXIF orientation of a JPEG, from 1 to 8; 1, which is upright, if it has none. */
async function readOrientation(file: Blob): Promise<number> {
  const view = new DataView(await file.slice(0, HEAD_BYTES).arrayBuffer())
  const exif = findExif(view)
  if (exif === undefined) return 1
  const isLittle = view.getUint16(exif) === 0x4949
  const entries = exif + view.getUint32(exif + 4, isLittle)
  if (entries + 2 > view.byteLength) return 1
  const count = view.getUint16(entries, isLittle)
  for (let at = entries + 2; at < entries + 2 + count * 12 && at + 12 <= view.byteLength; at += 12)
    if (view.getUint16(at, isLittle) === ORIENTATION) return view.getUint16(at + 8, isLittle)
  return 1
}

/** The offset of the EXIF data among the segments of a JPEG. */
function findExif(view: DataView): number | undefined {
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return undefined
  for (let at = 2; at + 18 <= view.byteLength; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint16(at)
    if (marker === APP1 && view.getUint32(at + 4) === 0x45786966) return at + 10
    if (marker < 0xffe0 || marker === 0xffff) return undefined
  }
  return undefined
}
