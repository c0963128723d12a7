import type { Block } from './blocks.ts'

/** The line with the times of a subtitle. */
const TIMES = /^(?:\d+:)?\d{1,2}:\d{2}[.,]\d{3}[ \t]+-->[ \t]+(?:\d+:)?\d{1,2}:\d{2}[.,]\d{3}/

/** True if a text consists of subtitles (SubRip, WebVTT). */
export const isTimedText = (source: string): boolean =>
  /^WEBVTT(?:[ \t\n]|$)/.test(source) || TIMES.test(source.trimStart().replace(/^\d+[ \t]*\n/, ''))

/** Yields the sentences of subtitles, without their times. */
export function* readTimedText(source: string): Generator<Block> {
  let lines: string[] = []
  for (const cue of source.split(/\n[^\S\n]*\n+/)) {
    const rows = cue.trim().split('\n')
    const start = rows.findIndex((row) => TIMES.test(row))
    if (start < 0) continue
    const texts = rows.slice(start + 1).map((row) => row.replace(/<[^<>]*>|\{\\[^{}]*\}/g, '').trim())
    lines.push(...texts.filter(Boolean))
    if (!/[.!?…。！？]["'”’»]?$/.test(lines.at(-1) ?? '')) continue
    yield { kind: 'text', text: lines.join('\n') }
    lines = []
  }
  yield { kind: 'text', text: lines.join('\n') }
}
