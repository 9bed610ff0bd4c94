import { wordbook } from '@/i18n'

export const words = wordbook('connect', {
  'connect.title': 'Connect a model',
  'connect.about':
    'It reads the pages and decides the steps. The key stays on this server and is never shown again.',
  'connect.where': 'Where from',
  'connect.own': 'Own address',
  'connect.key': 'Key',
  'connect.key.optional': 'Key, if the server wants one',
  'connect.key.hint': 'Paste it here: it is tried at once.',
  'connect.get': 'Make a key at {site}',
  'connect.get.ollama': 'Get Ollama at {site}',
  'connect.address': 'Address',
  'connect.address.hint': 'Of a server that speaks the API of OpenAI, such as llama.cpp, vLLM or LM Studio.',
  'connect.model': 'Model',
  'connect.list': 'Show its models',
  'connect.go': 'Try and connect',
  'connect.asking': 'Asking the model to call a tool…',
  'connect.done': 'Connected: {model}',
  'connect.price': 'about {price} for a typical task',
  'connect.price.none': 'its price is not known here',
  'connect.no.tools': 'It answered and called no tool: it may get lost in longer tasks.',
  'connect.back': 'Back to my task',
})
