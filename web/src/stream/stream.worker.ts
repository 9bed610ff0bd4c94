/// <reference lib="webworker" />
import { Hub, type ToHub } from './hub'

declare const self: SharedWorkerGlobalScope

const hub = new Hub()

self.onconnect = (event) => {
  const port = event.ports[0]
  if (!port) return
  port.onmessage = (message: MessageEvent<ToHub>) => hub.receive(port, message.data)
  hub.join(port, (message) => port.postMessage(message))
}
