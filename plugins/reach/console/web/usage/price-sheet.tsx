import { Button, NumberInput, SimpleGrid, Text } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { useFacts } from '../server/facts.ts'
import { refresh, send } from '../server/send.ts'
import { useDraft } from '../ui/draft.ts'
import { Failure } from '../ui/failure.tsx'
import { useIssue } from '../ui/issues.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { useAction } from '../ui/use-action.ts'
import { FIELDS, nameSource, type PriceRow } from './price.ts'

type Amounts = Record<(typeof FIELDS)[number]['name'], number | null>

interface Props {
  row: PriceRow
  onClose(): void
}

/** Sets the price of a model, or returns to the one of its provider or the catalog. */
export function PriceSheet({ row, onClose }: Props) {
  const { model, name, price, source } = row
  const { currency } = useFacts()
  const draft = useDraft<Amounts>({
    input: price?.input ?? null,
    output: price?.output ?? null,
    cache_read: price?.cache_read ?? null,
    cache_write: price?.cache_write ?? null,
  })
  const { isBusy, error, run } = useAction()
  const params = { path: { model } }
  const save = async () => {
    // Prices of pictures, speech and so on are kept.
    const { as_of: _, ...others } = price ?? {}
    await send(client.PUT('/admin/prices/{model}', { params, body: { ...others, ...draft.value } }))
    await refresh('/admin/prices', '/models')
  }
  const remove = () =>
    run(async () => {
      await send(client.DELETE('/admin/prices/{model}', { params }))
      await refresh('/admin/prices', '/models')
      onClose()
    })
  return (
    <Sheet
      title={name ?? model}
      isDirty={draft.isDirty}
      canSave={draft.isDirty && draft.value.input !== null && draft.value.output !== null}
      onSave={save}
      onClose={onClose}
      aside={
        source === 'override' && (
          <Button variant="default" loading={isBusy} onClick={remove}>
            {t('usage.price_reset')}
          </Button>
        )
      }
    >
      <Text size="sm" c="var(--meta)">
        {[name && model, nameSource(row) || t('usage.no_price')].filter(Boolean).join(' · ')}
      </Text>
      <Text size="sm">{t('usage.price_help', { currency: currency ?? '' })}</Text>
      <SimpleGrid cols={2} spacing="md">
        {FIELDS.map(({ name, label }) => (
          <Field
            key={name}
            name={name}
            label={t(label)}
            value={draft.value[name]}
            onChange={(amount) => draft.change({ [name]: amount })}
          />
        ))}
      </SimpleGrid>
      {error !== undefined && <Failure error={error} />}
    </Sheet>
  )
}

interface FieldProps {
  name: string
  label: string
  value: number | null
  onChange(amount: number | null): void
}

const Field = ({ name, label, value, onChange }: FieldProps) => (
  <NumberInput
    label={label}
    min={0}
    decimalScale={6}
    hideControls
    value={value ?? ''}
    error={useIssue(`/${name}`)}
    onChange={(amount) => onChange(amount === '' ? null : Number(amount))}
  />
)
