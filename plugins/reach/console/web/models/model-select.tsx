import { Select } from '@mantine/core'
import type { components } from '#client'
import { useModelChoice } from './model-choice.tsx'

type Model = components['schemas']['Model']

interface Props {
  label: string
  description?: string
  placeholder?: string
  error?: string | undefined
  value: string | null
  onChange(model: string | null): void
  /** True if no model may be chosen. */
  clearable?: boolean
  /** The kind of the models; those that chat without it. */
  kind?: Model['model_kind']
  /** True for models that can be chosen; all of them without it. */
  isOffered?(model: Model): boolean
}

/** A choice of one of the models that the account can use. */
export function ModelSelect({ value, isOffered, kind, ...field }: Props) {
  const choice = useModelChoice(value ? [value] : [], isOffered, kind)
  return <Select {...field} {...choice} value={value} />
}
