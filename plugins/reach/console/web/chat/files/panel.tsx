import { ActionIcon, Button, Group, Tabs, Text } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { downloadFile } from '../../agents/files.ts'
import { t } from '../../i18n/words.ts'
import DocumentText from '../../knowledge/document-text.tsx'
import { Failure } from '../../ui/failure.tsx'
import { ArrowLeft, X } from '../../ui/icons.ts'
import { useAction } from '../../ui/use-action.ts'
import { draftOf } from '../composer/draft.ts'
import { groupSources } from '../messages/source-groups.ts'
import { SourceList } from '../messages/source-list.tsx'
import type { ThreadStore } from '../store/thread-store.ts'
import { useThread } from '../store/threads.ts'
import { FileCard } from './file-card.tsx'
import { FileView } from './file-view.tsx'
import { panel, togglePanel } from './open-file.ts'
import classes from './panel.module.css'

/** The panel at the right: the files and sources of a conversation, or one file. */
export default function Panel({ store }: { store: ThreadStore | undefined }) {
  const { file, documentPlace } = useSyncExternalStore(panel.listen, panel.read)
  const { error, run } = useAction()
  return (
    <aside className={classes.panel} data-wide={file !== undefined} aria-label={t('chat.panel')}>
      <header className={classes.head}>
        {(file ?? documentPlace) && (
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('common.back')}
            onClick={() => panel.update(() => ({ isOpen: true }))}
          >
            <ArrowLeft size={16} aria-hidden />
          </ActionIcon>
        )}
        <Text size="sm" fw={600} truncate flex={1}>
          {(file ?? documentPlace)?.filename ?? t('chat.panel')}
        </Text>
        <ActionIcon variant="subtle" color="gray" aria-label={t('common.close')} onClick={togglePanel}>
          <X size={16} aria-hidden />
        </ActionIcon>
      </header>
      {file ? (
        <div className={classes.content}>
          <Group gap="sm" mb="md">
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => void run(() => downloadFile(file.agent_id, file.path))}
            >
              {t('chat.download')}
            </Button>
            {store && (
              <Button
                size="compact-sm"
                variant="default"
                onClick={() => draftOf(store.thread_id).attach(file)}
              >
                {t('chat.attach_to_message')}
              </Button>
            )}
          </Group>
          {error !== undefined && <Failure error={error} />}
          <FileView key={`${file.path}#${file.page}`} agent_id={file.agent_id} file={file} />
        </div>
      ) : documentPlace ? (
        <div className={classes.content}>
          <DocumentText key={JSON.stringify(documentPlace)} documentPlace={documentPlace} />
        </div>
      ) : (
        <Lists store={store} />
      )}
    </aside>
  )
}

function Lists({ store }: { store: ThreadStore | undefined }) {
  const files = useThread(store, (view) => view.artifacts)
  const sources = useThread(store, (view) => view.sources)
  const turns = useThread(store, (view) => view.turns)
  return (
    <Tabs defaultValue="files" className={classes.content}>
      <Tabs.List>
        <Tabs.Tab value="files">{t('chat.files')}</Tabs.Tab>
        <Tabs.Tab value="sources">{t('chat.sources')}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="files" pt="md">
        <div className={classes.list}>
          {files.length === 0 && <p className={classes.empty}>{t('chat.no_files')}</p>}
          {files.toReversed().map((file) => (
            <FileCard key={file.path} agent_id={store!.agent_id} file={file} />
          ))}
        </div>
      </Tabs.Panel>
      <Tabs.Panel value="sources" pt="md">
        {sources.length === 0 && <p className={classes.empty}>{t('chat.no_sources')}</p>}
        <SourceList {...groupSources(turns, sources)} />
      </Tabs.Panel>
    </Tabs>
  )
}
