import { Checkbox, Group, NativeSelect, Stack } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { KIND_LABELS } from './kind-labels.ts'
import { describeModel } from './model-facts.ts'
import type { ProviderModel } from './provider-form.ts'

interface Props {
  model: ProviderModel
  isPicked: boolean
  onPick(isPicked: boolean): void
  onChange(model: ProviderModel): void
}

/** A model that may be used or not; of a chosen one a person can say what it is for and, if it chats, if it reads pictures. */
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
      {isPicked && (
        <Stack gap={6} w={PICK_WIDTH} flex="none">
          <NativeSelect
            size="xs"
            aria-label={`${t('models.for')}: ${name || id}`}
            title={t('models.for')}
            value={kind}
            data={KINDS.map((value) => ({ value, label: t(KIND_LABELS[value]) }))}
            onChange={(event) => onChange(withKind(model, event.currentTarget.value as Kind))}
          />
          {kind === 'chat' && (
            <NativeSelect
              size="xs"
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
        </Stack>
      )}
    </Group>
  )
}

type Kind = ProviderModel['model_kind']

const KINDS = Object.keys(KIND_LABELS) as Kind[]
/** Leaves room for the name of the model on a phone. */
const PICK_WIDTH = 150

/** The model with another kind, without the facts that only models that chat have. */
const withKind = (model: ProviderModel, model_kind: Kind): ProviderModel => ({
  ...model,
  model_kind,
  embedding: model_kind === 'embedding',
  ...(model_kind !== 'chat' && { input: null, tools: null, reasoning: null }),
})

const readInput = ({ input }: ProviderModel) =>
  input === null ? 'unknown' : input.includes('image') ? 'pictures' : 'text'

/** The field `input` for a choice; what else a model reads stays. */
function toInput(choice: string, { input }: ProviderModel): ProviderModel['input'] {
  if (choice === 'unknown') return null
  const others = (input ?? ['text']).filter((part) => part !== 'image')
  return choice === 'pictures' ? [...others, 'image'] : others
}
