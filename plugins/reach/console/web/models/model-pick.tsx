import { Checkbox, Group, NativeSelect } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { describeModel } from './model-facts.ts'
import type { ProviderModel } from './provider-form.ts'

interface Props {
  model: ProviderModel
  isPicked: boolean
  onPick(isPicked: boolean): void
  onChange(model: ProviderModel): void
}

/** A model that agents may use or not; of a chosen one that chats, a person can say if it reads pictures. */
export function ModelPick({ model, isPicked, onPick, onChange }: Props) {
  const { id, name, model_kind: kind } = model
  const facts = [name !== id && id, describeModel(model)].filter(Boolean).join(' · ')
  return (
    <Group gap="sm" wrap="nowrap" align="flex-start" justify="space-between">
      <Checkbox
        size="sm"
        label={name || id}
        description={facts || undefined}
        checked={isPicked}
        onChange={(event) => onPick(event.currentTarget.checked)}
        styles={{ body: { overflowWrap: 'anywhere' } }}
      />
      {isPicked && kind === 'chat' && (
        <NativeSelect
          size="xs"
          w={176}
          flex="none"
          aria-label={`${t('models.input')}: ${name || id}`}
          title={t('models.input')}
          value={readInput(model)}
          data={[
            { value: 'unknown', label: t('models.input_unknown') },
            { value: 'text', label: t('models.input_text') },
            { value: 'pictures', label: t('models.input_pictures') },
          ]}
          onChange={(event) => onChange({ ...model, input: toInput(event.currentTarget.value, model) })}
        />
      )}
    </Group>
  )
}

const readInput = ({ input }: ProviderModel) =>
  input === null ? 'unknown' : input.includes('image') ? 'pictures' : 'text'

/** The field `input` for a choice; what else a model reads stays. */
function toInput(choice: string, { input }: ProviderModel): ProviderModel['input'] {
  if (choice === 'unknown') return null
  const others = (input ?? ['text']).filter((part) => part !== 'image')
  return choice === 'pictures' ? [...others, 'image'] : others
}
