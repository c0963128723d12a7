import type { ImageModel } from '#plugin-api'

/** The shapes of pictures that all of Google's models draw. */
const RATIOS = ['1:1', '3:4', '4:3', '9:16', '16:9'] as const

/** Wraps a model so that it draws in the shape of a size, since Google's models take no sizes. */
export const withAspectRatio = (model: ImageModel): ImageModel => ({
  doGenerate: ({ size, ...options }) =>
    model.doGenerate({
      ...options,
      size: undefined,
      aspectRatio: options.aspectRatio ?? (size && findRatio(size)),
    }),
})

function findRatio(size: string): (typeof RATIOS)[number] {
  const shape = divide(size, 'x')
  // As far from the shape on a logarithmic scale, on which 1:2 and 2:1 are equally far from a square.
  const distances = RATIOS.map((ratio) => Math.abs(Math.log(divide(ratio, ':') / shape)))
  return RATIOS[distances.indexOf(Math.min(...distances))] ?? '1:1'
}

function divide(text: string, separator: string): number {
  const [width = 1, height = 1] = text.split(separator).map(Number)
  return width / height
}
