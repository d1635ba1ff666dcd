"""The marketplace service as its client sees it.

`wire` (pure: what is asked, what came back), `answers` (pure: what an answer means for the call
that it answers), `packages` and `offers` (pure: what the bodies and headers of answers say),
`pace` (pure: how fast calls may follow each other), `auth` and `oauth` (tokens), `client` and
`network` (httpx; the only modules here that do I/O over the network).
"""
