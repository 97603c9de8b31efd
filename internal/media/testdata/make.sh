#!/bin/sh
# Makes the files beside it again. It needs ffmpeg with libx264, libvpx, libwebp, libmp3lame, libopus, libvorbis and
# libspeex. What the tests expect of them was read off with ffprobe.
set -eu
cd "$(dirname "$0")"
make() { ffmpeg -v error -y "$@"; }
image() { make -f lavfi -i testsrc=s=64x48 -frames:v 1 -bitexact "$@"; }
sound() { rate=$1; shift; make -f lavfi -i "sine=frequency=440:duration=0.5:sample_rate=$rate" -bitexact "$@"; }
video() { make -f lavfi -i testsrc=s=64x48:d=1.2:r=5 -bitexact "$@"; }
x264="-c:v libx264 -crf 50 -pix_fmt yuv420p"

image rgb.png
image -pix_fmt pal8 palette.png
make -f lavfi -i testsrc=s=33x21:d=1:r=4 -bitexact moving.gif
image -q:v 31 photo.jpg
image bottom-up.bmp
image -pix_fmt rgb565le 565.bmp
image -c:v libwebp -q:v 10 lossy.webp
image -c:v libwebp -lossless 1 lossless.webp
make -f lavfi -i testsrc=s=64x48:d=0.5:r=4 -c:v libwebp_anim -q:v 10 -bitexact moving.webp
image -c:v libaom-av1 -still-picture 1 picture.avif

sound 8000 pcm.wav
sound 8000 -f wav - >piped.wav
sound 8000 -c:a adpcm_ima_wav adpcm.wav
sound 8000 -c:a pcm_f32le -t 0.2 float.wav
sound 44100 -q:a 9 -metadata title=tone -id3v2_version 3 -write_id3v1 1 tagged.mp3
sound 22050 -b:a 16k -write_xing 0 -id3v2_version 0 plain.mp3
sound 44100 -q:a 9 -write_xing 0 -id3v2_version 0 varying.mp3
sound 8000 -b:a 8k mpeg25.mp3
sound 44100 -c:a mp2 -b:a 32k layer2.mp2
sound 8000 tone.flac
sound 8000 -f flac - >piped.flac
sound 8000 -c:a libvorbis -q:a 0 vorbis.ogg
sound 48000 -c:a libopus -b:a 6k opus.ogg
sound 8000 -c:a flac flac.ogg
sound 8000 -c:a libspeex speex.ogg
sound 8000 -c:a aac -b:a 16k tone.m4a

video $x264 plain.mp4
video $x264 -movflags frag_keyframe+empty_moov fragments.mp4
make -i plain.mp4 -c copy -metadata:s:v rotate=90 -bitexact turned.mp4
video -c:v mjpeg -q:v 31 -pix_fmt yuvj420p plain.mov
video -f lavfi -i sine=d=1.2:r=8000 $x264 -c:a aac -b:a 16k both.mp4
video -c:v libvpx -b:v 10k -crf 60 plain.webm
video -c:v libvpx -b:v 10k -f webm - >piped.webm
sound 48000 -c:a libopus -b:a 6k opus.webm
video $x264 plain.mkv
