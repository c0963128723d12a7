import { Button, Group, ScrollArea, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { describeModel } from './model-facts.ts'
import { ModelPick } from './model-pick.tsx'
import type { ProviderModel } from './provider-form.ts'

interface Props {
  /** The models that the provider listed in a test. */
  listed: ProviderModel[]
  /** The chosen models; an empty list means all. */
  picked: ProviderModel[]
  onChange(picked: ProviderModel[]): void
}

/** The most models that are shown without a search. */
const MAX_WITHOUT_SEARCH = 8
/** The most models that are shown at once. */
const MAX_SHOWN = 100

/** The models of a provider that agents can use: all, or a choice of them. */
export function ModelPicks({ listed, picked, onChange }: Props) {
  const [isChoosing, setChoosing] = useState(picked.length > 0)
  const [search, setSearch] = useState('')
  const [name, setName] = useState('')
  const models = [...listed, ...picked.filter(({ id }) => !listed.some((model) => model.id === id))]
  const words = search.toLowerCase().split(/\s+/)
  const matching = models.filter(({ id, name }) =>
    words.every((word) => `${id} ${name}`.toLowerCase().includes(word)),
  )
  const hidden = matching.length - MAX_SHOWN
  const isPicked = (id: string) => picked.some((model) => model.id === id)

  const add = () => {
    const id = name.trim()
    const model: ProviderModel = {
      id,
      name: id,
      enabled: true,
      embedding: false,
      model_kind: 'chat',
      context_window: null,
      max_output_tokens: null,
      input: null,
      tools: null,
      reasoning: null,
    }
    if (id && !isPicked(id)) onChange([...picked, model])
    setName('')
  }

  return (
    <Stack gap="sm">
      <SegmentedControl
        aria-label={t('models.pick')}
        w="fit-content"
        data={[
          { value: 'all', label: t('models.pick_all') },
          { value: 'some', label: t('models.pick_some') },
        ]}
        value={isChoosing ? 'some' : 'all'}
        onChange={(value) => {
          setChoosing(value === 'some')
          if (value === 'all') onChange([])
        }}
      />
      {!isChoosing && listed.length > 0 && <ListedModels models={listed} />}
      {isChoosing && (
        <>
          {models.length > MAX_WITHOUT_SEARCH && (
            <TextInput
              type="search"
              aria-label={t('models.pick_search')}
              placeholder={t('models.pick_search')}
              value={search}
              onChange={(event) => setSearch(event.currentTarget.value)}
            />
          )}
          <ScrollArea.Autosize mah={260} offsetScrollbars="y" viewportProps={{ tabIndex: 0 }}>
            <Stack gap="sm" py={2}>
              {matching.slice(0, MAX_SHOWN).map((model) => (
                <ModelPick
                  key={model.id}
                  model={picked.find(({ id }) => id === model.id) ?? model}
                  isPicked={isPicked(model.id)}
                  onPick={(isChecked) =>
                    onChange(isChecked ? [...picked, model] : picked.filter(({ id }) => id !== model.id))
                  }
                  onChange={(changed) => onChange(picked.map((one) => (one.id === model.id ? changed : one)))}
                />
              ))}
              {hidden > 0 && (
                <Text size="xs" c="var(--meta)">
                  {t('models.more_models', { count: hidden })}
                </Text>
              )}
            </Stack>
          </ScrollArea.Autosize>
          {picked.length === 0 && (
            <Text size="xs" c="var(--meta)">
              {t('models.no_models')}
            </Text>
          )}
          <Group gap="sm" align="flex-end" wrap="nowrap">
            <TextInput
              flex={1}
              label={t('models.pick_add')}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key !== 'Enter') return
                event.preventDefault()
                add()
              }}
            />
            <Button variant="default" onClick={add} disabled={!name.trim()}>
              {t('forms.add')}
            </Button>
          </Group>
        </>
      )}
    </Stack>
  )
}

/** The models that a test has found, with what is known about them. */
function ListedModels({ models }: { models: ProviderModel[] }) {
  const hidden = models.length - MAX_WITHOUT_SEARCH
  return (
    <Stack gap={6} component="ul" m={0} p={0} aria-label={t('models.found')} style={{ listStyle: 'none' }}>
      {models.slice(0, MAX_WITHOUT_SEARCH).map((model) => (
        <li key={model.id}>
          <Text size="sm">{model.name || model.id}</Text>
          <Text size="xs" c="var(--meta)">
            {describeModel(model)}
          </Text>
        </li>
      ))}
      {hidden > 0 && (
        <Text size="xs" c="var(--meta)" component="li">
          {t('models.more_found', { count: hidden })}
        </Text>
      )}
    </Stack>
  )
}
