import { Monogram } from '../ui/monogram.tsx'
import type { ProviderKind } from './provider-form.ts'

/** The kinds in the order in which they are chosen most often, with a mark and a colour that tell them apart. */
const MARKS: Record<string, { mark: string; color: string }> = {
  openai: { mark: 'OA', color: '#0f7a5c' },
  anthropic: { mark: 'An', color: '#b3512f' },
  google: { mark: 'Go', color: '#1d62d1' },
  'openai-compatible': { mark: '{}', color: '#57606f' },
  ollama: { mark: 'Ol', color: '#2b2f36' },
  'azure-openai': { mark: 'Az', color: '#0067b8' },
  bedrock: { mark: 'Be', color: '#9a5b00' },
}

/** Sorts kinds: frequent kinds first, then the kinds of plugins by name, the demo last. */
export function sortKinds(kinds: readonly ProviderKind[]): ProviderKind[] {
  const order = Object.keys(MARKS)
  const rank = ({ kind }: ProviderKind) => {
    if (kind === 'demo') return order.length + 1
    return order.includes(kind) ? order.indexOf(kind) : order.length
  }
  return kinds.toSorted((a, b) => rank(a) - rank(b) || a.label.localeCompare(b.label))
}

/** The mark of a kind of provider. */
export function KindMark({ kind: { kind, label } }: { kind: ProviderKind }) {
  const { mark, color } = MARKS[kind] ?? {}
  return <Monogram name={label} mark={mark} color={color} />
}
