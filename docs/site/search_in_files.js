// No browser starts a worker from a file, so that on a page opened as one the search runs in a hidden frame instead.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.title = "search";
      frame.answer = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      frame.srcdoc = `<script>postMessage = (data) => frameElement.answer(data)<\/script><script src="${url}"><\/script>`;
      const ready = new Promise((resolve) => frame.addEventListener("load", resolve));
      this.postMessage = async (data) => {
        await ready;
        frame.contentWindow.dispatchEvent(new MessageEvent("message", { data }));
      };
      document.body.append(frame);
    }
  };
}
