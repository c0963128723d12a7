import { Switch, type SwitchProps } from '@mantine/core'
import { useState } from 'react'

interface Props extends Omit<SwitchProps, 'checked' | 'onChange' | 'onToggle'> {
  checked: boolean
  /** Stores the change. */
  onToggle(checked: boolean): Promise<unknown>
}

/** A switch that is stored at once. It moves right away, and back if this fails. */
export function Toggle({ checked, onToggle, ...props }: Props) {
  const [pendingState, setPendingState] = useState<boolean>()
  const toggle = async (checked: boolean) => {
    setPendingState(checked)
    await onToggle(checked).finally(() => setPendingState(undefined))
  }
  return (
    <Switch
      {...props}
      checked={pendingState ?? checked}
      onChange={(event) => void toggle(event.currentTarget.checked)}
    />
  )
}
