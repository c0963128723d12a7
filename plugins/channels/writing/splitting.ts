import type { Dialect } from '#kernel'
export interface Part {
  text: string
  start: number
  end: number
}
export const splitMarkdown = (
  markdown: string,
  _: { dialect: Dialect; max_length: number; length_unit: string; max_parts?: number },
): Part[] => [{ text: markdown, start: 0, end: markdown.length }]
