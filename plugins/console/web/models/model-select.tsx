import { Select } from '@mantine/core'
import type { components } from '#client'
import { useModels } from './use-models.ts'

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
  /** True for models that can be chosen; all of them without it. */
  isOffered?(model: Model): boolean
}

/** A choice of one of the models that the account can use, by provider. */
export function ModelSelect({ value, isOffered = () => true, ...field }: Props) {
  const models = useModels()
  const offered = models.filter(isOffered)
  const groups = [...new Set(offered.map(({ provider }) => provider))].map((provider) => ({
    group: provider,
    items: offered
      .filter((model) => model.provider === provider)
      .map(({ id, name }) => ({ value: id, label: name || id })),
  }))
  // A model that is gone is still shown, so that nobody loses it by opening the form.
  if (value && !offered.some(({ id }) => id === value))
    groups.push({ group: '', items: [{ value, label: value }] })
  return <Select {...field} data={groups} value={value} searchable maxDropdownHeight={320} />
}
