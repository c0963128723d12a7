import { CallView } from './call-view.tsx'
import type { Call } from './parts.ts'
import { useSteps } from './recorded-steps.ts'

interface Props {
  call: Call
  /** True while the call may still add steps. */
  isActive: boolean
}

/** The steps of a delegated call, each a line that unfolds; a step can have delegated a part of its own. */
export function DelegatedSteps({ call, isActive }: Props) {
  const steps = useSteps(isActive).filter(({ parent }) => parent === call.id)
  return steps.map((step) => <CallView key={step.id} call={step} isActive={isActive} />)
}
