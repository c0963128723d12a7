import { useMemo } from 'react'
import type { Turn } from '../store/thread-view.ts'
import { groupSources } from './source-groups.ts'
import { SourceList } from './source-list.tsx'

/** The sources of a finished answer, below it. */
export default function TurnSources({ turn }: { turn: Turn }) {
  const groups = useMemo(() => groupSources([turn]), [turn])
  return <SourceList {...groups} isNumbered />
}
