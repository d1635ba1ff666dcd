"""The marketplace service as its client sees it; its endpoints are the areas'.

Reading order: `answers` and `bodies` (pure: what an answer means, and how its body is read),
`pace` (pure: how fast calls may follow each other), `calls` (several at a time), `fetch` (reading
lists to their end), `auth` and `oauth` (tokens), `client` and `network` (httpx; the only modules
here that do I/O over the network).
"""
